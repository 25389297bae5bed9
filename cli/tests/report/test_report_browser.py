# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: drawn, in step, and silent on the network."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page

from lab.simulated.fixture_runs import FIXTURE_RUNS
from lab.stand.browser import CHROMIUM, NO_CHROMIUM, TWO_FRAMES, watch

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)
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
# Each chart over time stores its visible range in an attribute.
RANGES = """[...document.querySelectorAll("figure.chart[data-range]")].map((f) => f.dataset.range)"""


def box(page: Page, selector: str) -> dict[str, Any]:
    found = page.evaluate(
        f"(() => {{ const e = document.querySelector({selector!r});"
        "e.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const {left, top, width, height} = e.getBoundingClientRect();"
        "return {left, top, width, height}; })()"
    )
    assert isinstance(found, dict)
    return found


def drag(page: Page, selector: str, start: float, end: float) -> None:
    area = box(page, selector)
    y = area["top"] + area["height"] / 2
    left, right = (area["left"] + area["width"] * share for share in (start, end))
    page.mouse.move(left, y)
    page.mouse.down()
    page.mouse.move(right, y, steps=5)
    page.mouse.up()


@pytest.mark.parametrize("run_id", FIXTURE_RUNS)
def test_no_error_and_no_request(report: Report, page: Page, run_id: str) -> None:
    path = report(run_id)
    seen = watch(page)
    page.goto(path.as_uri())
    page.evaluate(TWO_FRAMES)
    assert {url for url in seen.requests if not url.startswith("data:")} == {path.as_uri()}
    assert seen.errors == []


def test_every_chart_is_drawn(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    ink = page.evaluate(INK)
    assert len(ink) == CHARTS
    assert all(share > 0.01 for share in ink), ink


def test_zoom_on_one_chart_zooms_all_and_double_click_resets(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    whole = page.evaluate(RANGES)
    assert len(whole) == OVER_TIME
    assert len(set(whole)) == 1
    plot = "#drive-0-flush-latency .u-over"
    drag(page, plot, 0.4, 0.7)
    page.wait_for_function(f"{RANGES}[0] !== {whole[0]!r}")
    page.wait_for_function(f"new Set({RANGES}).size === 1")
    from_, to = (float(text) for text in page.evaluate(RANGES)[0].split(" "))
    first, last = (float(text) for text in whole[0].split(" "))
    share = (to - from_) / (last - first)
    assert share == pytest.approx(0.3, abs=0.02)
    assert from_ == pytest.approx(first + 0.4 * (last - first), abs=0.5)

    area = box(page, "#latency-publish .u-over")
    page.mouse.dblclick(area["left"] + 50, area["top"] + 50)
    page.wait_for_function(f"{RANGES}.every((range) => range === {whole[0]!r})")


def test_the_cursor_reads_all_charts(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    area = box(page, "#throughput .u-over")
    page.mouse.move(area["left"] + area["width"] / 2, area["top"] + 20)
    page.wait_for_function("document.querySelector('.readout').value.includes('UTC')")
    outputs = "[...document.querySelectorAll('#{} output')].map((o) => o.value)"
    target, acked, received = page.evaluate(outputs.format("throughput"))
    most = r"^most at ([\d.]+)–[\d.]+ ms: ([\d,]+) messages$"
    assert re.match(most, page.evaluate(outputs.format("heat-publish"))[0])
    assert target == "1,000"
    assert {acked, received} <= {"999", "1,000", "1,001"}
    assert all(page.evaluate(outputs.format("latency-end_to_end")))
    assert all(page.evaluate(outputs.format("drive-0-written")))


def test_keys_zoom_and_read(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    whole = page.evaluate(RANGES)[0]
    page.evaluate("document.querySelector('#throughput .plot').focus()")
    for key in ("ArrowRight", "ArrowRight", "+"):
        page.keyboard.press(key)
    page.wait_for_function("document.querySelector('.readout').value.includes('UTC')")
    page.wait_for_function(f"{RANGES}.every((range) => range !== {whole!r})")
    page.keyboard.press("Escape")
    page.wait_for_function(f"{RANGES}.every((range) => range === {whole!r})")


def test_the_data_table_holds_every_second(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    page.evaluate("document.querySelector('#latency-publish details').open = true")
    rows = "document.querySelectorAll('#latency-publish tbody tr').length"
    page.wait_for_function(f"{rows} > 0")
    seconds = FIXTURE_RUNS["full"].warmup_s + FIXTURE_RUNS["full"].measure_s
    assert seconds <= page.evaluate(rows) <= seconds + 2


def test_linear_scale_keeps_the_zoom(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    drag(page, "#latency-publish .u-over", 0.2, 0.5)
    page.wait_for_function("!document.querySelector('.reset').disabled")
    page.wait_for_function(f"new Set({RANGES}).size === 1")
    zoomed = page.evaluate(RANGES)[0]
    page.evaluate("document.querySelector('input[value=linear]').click()")
    page.wait_for_function(f"{RANGES}.every((range) => range === {zoomed!r})")
    assert all(share > 0.005 for share in page.evaluate(INK))


def test_a_heatmaps_cells_are_at_the_latencies_of_its_messages(report: Report, page: Page) -> None:
    """In the second of the stall, colour reaches the top of the chart; before it, the top is empty."""
    page.goto(report("full").as_uri())
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
    stalled, calm = page.evaluate(script)
    assert stalled > 10
    assert calm < 3


def test_a_heatmap_reads_the_cell_under_the_pointer(report: Report, page: Page) -> None:
    """Every cell of one second read row by row holds as many messages as the run sent in it."""
    page.goto(report("full").as_uri())
    output = "document.querySelector('#heat-publish output')"
    assert page.evaluate(f"getComputedStyle({output}).display") == "none"
    area = box(page, "#heat-publish .u-over")
    page.evaluate(f"{output}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
    area = box(page, "#heat-publish .u-over")
    first, last = (float(text) for text in page.evaluate(RANGES)[0].split(" "))
    x = area["left"] + area["width"] * (10.5 - first) / (last - first)
    seen: dict[str, int] = {}
    for y in range(1, int(area["height"]) - 1, 3):
        page.mouse.move(x, area["top"] + y)
        found = re.match(r"^([\d.,]+–[\d.,]+) ms: ([\d,]+) messages?$", page.evaluate(f"{output}.value"))
        assert found
        seen[found[1]] = int(found[2].replace(",", ""))
    assert sum(seen.values()) == pytest.approx(FIXTURE_RUNS["full"].rate, abs=5)
    assert any(count == 0 for count in seen.values())


def test_a_heatmap_has_a_colour_key(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    key = "document.querySelector('#heat-publish .key')"
    spec = "JSON.parse(document.getElementById('data').textContent).charts"
    most = page.evaluate(f"{spec}.find(({{id}}) => id === 'heat-publish').heat.most")
    assert page.evaluate(f"{key}.textContent") == f"1{most:,} messages a cell, log"
    shades = f"[...{key}.querySelectorAll('i')].map((i) => Number(getComputedStyle(i).opacity))"
    strengths = page.evaluate(shades)
    assert strengths == sorted(strengths)
    assert strengths[-1] == 1


def test_a_log_axis_has_ticks_to_read_by(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
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
    labels = page.evaluate(count)
    assert len(set(labels)) >= 4, labels


def test_the_first_tile_is_as_high_as_the_others(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    tiles = "[...document.querySelectorAll('.tiles > .tile')]"
    tops = page.evaluate(f"{tiles}.map((tile) => tile.getBoundingClientRect().top)")
    # Two in a row, or all four: neighbours are level.
    assert len(tops) == 4
    assert tops[0] == tops[1]
    assert tops[2] == tops[3]


def test_dark_follows_the_readers_choice(report: Report, page: Page) -> None:
    background = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    ink = "getComputedStyle(document.body).color.match(/\\d+/g).map(Number)"
    lines = """(() => { const c = document.querySelector("#throughput canvas");
      return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.join("").length; })()"""
    seen = {}
    try:
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            page.goto(report("full").as_uri())
            seen[scheme] = (sum(page.evaluate(background)), sum(page.evaluate(ink)), page.evaluate(lines))
    finally:
        page.emulate_media(color_scheme="null")
    assert seen["light"][0] > 600 > 150 > seen["light"][1]
    assert seen["dark"][0] < 100 < 600 < seen["dark"][1]
    assert seen["dark"][2] != seen["light"][2]


def test_every_chart_can_be_reached_and_has_a_description(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    plots = page.evaluate("[...document.querySelectorAll('figure.chart .plot')].map((p) => [p.tabIndex, p.ariaLabel])")
    assert len(plots) == CHARTS
    for index, label in plots:
        assert index == 0
        assert "Left and right arrows read values" in label
        assert len(label) > 60
