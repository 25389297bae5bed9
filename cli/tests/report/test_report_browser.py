# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: drawn, in step, and silent on the network."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.simulated.fixture_runs import FIXTURE_RUNS
from lab.stand.browser import CHROMIUM, Tab

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to look at the report with: apt install chromium")
Report = Callable[[str], Path]
# Over time: two latencies, throughput, backlog, two heatmaps, five of the drive.
OVER_TIME = 11
# And the percentile curve, the partitions, the lags.
CHARTS = OVER_TIME + 3

# Per chart the share of its pixels that are not transparent.
INK = """[...document.querySelectorAll("figure.chart canvas")].map((canvas) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let inked = 0;
  for (let i = 3; i < pixels.length; i += 4) inked += pixels[i] > 0;
  return inked / (pixels.length / 4);
})"""
# Each chart over time writes the range that it shows on itself.
RANGES = """[...document.querySelectorAll("figure.chart[data-range]")].map((f) => f.dataset.range)"""


def box(tab: Tab, selector: str) -> dict[str, Any]:
    found = tab.run(
        f"(() => {{ const e = document.querySelector({selector!r});"
        "e.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const {left, top, width, height} = e.getBoundingClientRect();"
        "return {left, top, width, height}; })()"
    )
    assert isinstance(found, dict)
    return found


def drag(tab: Tab, selector: str, start: float, end: float) -> None:
    area = box(tab, selector)
    y = area["top"] + area["height"] / 2
    left, right = (area["left"] + area["width"] * share for share in (start, end))
    tab.mouse("mouseMoved", left, y)
    tab.mouse("mousePressed", left, y, clicks=1)
    for step in range(1, 6):
        tab.mouse("mouseMoved", left + (right - left) * step / 5, y, clicks=1)
    tab.mouse("mouseReleased", right, y, clicks=1)


@pytest.mark.parametrize("run_id", FIXTURE_RUNS)
def test_no_error_and_no_request(report: Report, tab: Tab, run_id: str) -> None:
    path = report(run_id)
    tab.open(path)
    tab.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    asked = {event["request"]["url"] for event in tab.seen("Network.requestWillBeSent")}
    assert {url for url in asked if not url.startswith("data:")} == {path.as_uri()}
    assert tab.seen("Runtime.exceptionThrown") == []
    assert tab.seen("Runtime.consoleAPICalled") == []
    assert tab.seen("Log.entryAdded") == []


def test_every_chart_is_drawn(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    ink = tab.run(INK)
    assert len(ink) == CHARTS
    assert all(share > 0.01 for share in ink), ink


def test_zoom_on_one_chart_zooms_all_and_double_click_resets(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    whole = tab.run(RANGES)
    assert len(whole) == OVER_TIME
    assert len(set(whole)) == 1
    plot = "#drive-0-flush-latency .u-over"
    drag(tab, plot, 0.4, 0.7)
    tab.until(f"{RANGES}[0] !== {whole[0]!r}")
    tab.until(f"new Set({RANGES}).size === 1")
    from_, to = (float(text) for text in tab.run(RANGES)[0].split(" "))
    first, last = (float(text) for text in whole[0].split(" "))
    share = (to - from_) / (last - first)
    assert share == pytest.approx(0.3, abs=0.02)
    assert from_ == pytest.approx(first + 0.4 * (last - first), abs=0.5)

    area = box(tab, "#latency-publish .u-over")
    x, y = area["left"] + 50, area["top"] + 50
    for clicks in (1, 2):
        tab.mouse("mousePressed", x, y, clicks=clicks)
        tab.mouse("mouseReleased", x, y, clicks=clicks)
    tab.until(f"{RANGES}.every((range) => range === {whole[0]!r})")


def test_the_cursor_reads_all_charts(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    area = box(tab, "#throughput .u-over")
    tab.mouse("mouseMoved", area["left"] + area["width"] / 2, area["top"] + 20)
    tab.until("document.querySelector('.readout').value.includes('UTC')")
    told = "[...document.querySelectorAll('#{} output')].map((o) => o.value)"
    target, acked, received = tab.run(told.format("throughput"))
    most = r"^most at ([\d.]+)–[\d.]+ ms: ([\d,]+) messages$"
    assert re.match(most, tab.run(told.format("heat-publish"))[0])
    assert target == "1,000"
    assert {acked, received} <= {"999", "1,000", "1,001"}
    assert all(tab.run(told.format("latency-end_to_end")))
    assert all(tab.run(told.format("drive-0-written")))


def test_keys_zoom_and_read(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    whole = tab.run(RANGES)[0]
    tab.run("document.querySelector('#throughput .plot').focus()")
    for key in ("ArrowRight", "ArrowRight", "+"):
        tab.call("Input.dispatchKeyEvent", type="keyDown", key=key)
    tab.until("document.querySelector('.readout').value.includes('UTC')")
    tab.until(f"{RANGES}.every((range) => range !== {whole!r})")
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    tab.until(f"{RANGES}.every((range) => range === {whole!r})")


def test_the_data_table_holds_every_second(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    tab.run("document.querySelector('#latency-publish details').open = true")
    rows = "document.querySelectorAll('#latency-publish tbody tr').length"
    tab.until(f"{rows} > 0")
    seconds = FIXTURE_RUNS["full"].warmup_s + FIXTURE_RUNS["full"].measure_s
    assert seconds <= tab.run(rows) <= seconds + 2


def test_linear_scale_keeps_the_zoom(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    drag(tab, "#latency-publish .u-over", 0.2, 0.5)
    tab.until("!document.querySelector('.reset').disabled")
    tab.until(f"new Set({RANGES}).size === 1")
    zoomed = tab.run(RANGES)[0]
    tab.run("document.querySelector('input[value=linear]').click()")
    tab.until(f"{RANGES}.every((range) => range === {zoomed!r})")
    assert all(share > 0.005 for share in tab.run(INK))


def test_a_heatmaps_cells_lie_where_its_messages_are(report: Report, tab: Tab) -> None:
    """In the second of the stall colour reaches the top of the chart, before it the top is bare."""
    tab.open(report("full"))
    where = "[...document.querySelectorAll('#heat-end_to_end canvas')][0]"
    script = f"""(() => {{
      const canvas = {where}, context = canvas.getContext("2d");
      const spec = JSON.parse(document.getElementById("data").textContent)
        .charts.find(({{id}}) => id === "heat-end_to_end");
      const over = document.querySelector("#heat-end_to_end .u-over");
      const {{range}} = document.getElementById("heat-end_to_end").dataset;
      const [first, last] = range.split(" ").map(Number);
      return [14, 10].map((second) => {{
        const share = (second + 0.5 - first) / (last - first);
        const x = Math.round((over.offsetLeft + share * over.offsetWidth) * devicePixelRatio);
        const y = Math.round((over.offsetTop + 8) * devicePixelRatio);
        const pixels = context.getImageData(x, y, 1, 20).data;
        return pixels.filter((value, i) => i % 4 === 3 && value > 20).length;
      }});
    }})()"""
    stalled, calm = tab.run(script)
    assert stalled > 10
    assert calm < 3


def test_a_heatmap_reads_the_cell_under_the_pointer(report: Report, tab: Tab) -> None:
    """Every cell of one second read row by row holds as many messages as the run sent in it."""
    tab.open(report("full"))
    output = "document.querySelector('#heat-publish output')"
    assert tab.run(f"getComputedStyle({output}).display") == "none"
    area = box(tab, "#heat-publish .u-over")
    tab.run(f"{output}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
    area = box(tab, "#heat-publish .u-over")
    first, last = (float(text) for text in tab.run(RANGES)[0].split(" "))
    x = area["left"] + area["width"] * (10.5 - first) / (last - first)
    seen: dict[str, int] = {}
    for y in range(1, int(area["height"]) - 1, 3):
        tab.mouse("mouseMoved", x, area["top"] + y)
        found = re.match(r"^([\d.,]+–[\d.,]+) ms: ([\d,]+) messages?$", tab.run(f"{output}.value"))
        assert found
        seen[found[1]] = int(found[2].replace(",", ""))
    assert sum(seen.values()) == pytest.approx(FIXTURE_RUNS["full"].rate, abs=5)
    assert any(count == 0 for count in seen.values())


def test_a_heatmap_has_a_colour_key(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    key = "document.querySelector('#heat-publish .key')"
    spec = "JSON.parse(document.getElementById('data').textContent).charts"
    most = tab.run(f"{spec}.find(({{id}}) => id === 'heat-publish').heat.most")
    assert tab.run(f"{key}.textContent") == f"1{most:,} messages a cell, log"
    shades = f"[...{key}.querySelectorAll('i')].map((i) => Number(getComputedStyle(i).opacity))"
    strengths = tab.run(shades)
    assert strengths == sorted(strengths)
    assert strengths[-1] == 1


def test_a_log_axis_has_ticks_to_read_by(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    count = """(() => {
      const fill = CanvasRenderingContext2D.prototype.fillText;
      const labels = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        const axis = this.canvas.closest("#latency-publish") && this.textAlign === "right";
        if (axis) labels.push(text);
        return fill.call(this, text, ...rest);
      };
      document.querySelector("input[value=log]").dispatchEvent(new Event("change"));
      return new Promise((done) => requestAnimationFrame(() => done(labels)));
    })()"""
    labels = tab.run(count)
    assert len(set(labels)) >= 4, labels


def test_the_first_tile_stands_as_high_as_the_others(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    tiles = "[...document.querySelectorAll('.tiles > .tile')]"
    tops = tab.run(f"{tiles}.map((tile) => tile.getBoundingClientRect().top)")
    # Two in a row, or all four: neighbours stand level.
    assert len(tops) == 4
    assert tops[0] == tops[1]
    assert tops[2] == tops[3]


def test_dark_follows_the_readers_choice(report: Report, tab: Tab) -> None:
    background = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    ink = "getComputedStyle(document.body).color.match(/\\d+/g).map(Number)"
    lines = """(() => { const c = document.querySelector("#throughput canvas");
      return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.join("").length; })()"""
    seen = {}
    try:
        for scheme in ("light", "dark"):
            media = [{"name": "prefers-color-scheme", "value": scheme}]
            tab.call("Emulation.setEmulatedMedia", features=media)
            tab.open(report("full"))
            seen[scheme] = (sum(tab.run(background)), sum(tab.run(ink)), tab.run(lines))
    finally:
        tab.call("Emulation.setEmulatedMedia", features=[])
    assert seen["light"][0] > 600 > 150 > seen["light"][1]
    assert seen["dark"][0] < 100 < 600 < seen["dark"][1]
    assert seen["dark"][2] != seen["light"][2]


def test_every_chart_can_be_reached_and_is_told_in_words(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    plots = tab.run("[...document.querySelectorAll('figure.chart .plot')].map((p) => [p.tabIndex, p.ariaLabel])")
    assert len(plots) == CHARTS
    for index, label in plots:
        assert index == 0
        assert "Left and right arrows read values" in label
        assert len(label) > 60
