# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: on paper, names above its charts, and values below zero."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, PdfMargins
from test_report_browser import CHARTS, INK

from lab.stand.browser import CHROMIUM, NO_CHROMIUM, TWO_FRAMES, VIEWPORT

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)
Report = Callable[[str], Path]
# Of a run of half a minute.
PAPER_PAGES = 9
# A letter's sheet without its margins.
PAPER_PX = 739
MARGIN: PdfMargins = {"top": "1cm", "right": "1cm", "bottom": "1cm", "left": "1cm"}


def test_what_was_marked_is_a_line_in_every_chart_over_time(report: Report, page: Page) -> None:
    # Pixels of the very colour that only marks have.
    marked = """[...document.querySelectorAll("figure.chart[data-range] canvas")].map((c) => {
      const pixels = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      let found = 0;
      for (let i = 0; i < pixels.length; i += 4) {
        found += pixels[i] === 0x17 && pixels[i + 1] === 0x22 && pixels[i + 2] === 0x2c;
      }
      return found / c.height;
    })"""
    for run_id, least in (("troubled", 0.5), ("no-metrics", 0)):
        page.goto(report(run_id).as_uri())
        page.evaluate(TWO_FRAMES)
        found = page.evaluate(marked)
        assert len(found) > 4
        assert all(share > least for share in found) if least else not any(found), found
    page.goto(report("troubled").as_uri())
    table = "document.querySelector('#episodes table:last-of-type tbody').textContent"
    assert "fault" in page.evaluate(table)
    assert "drive <limited>" in page.evaluate(table)


# Texts of a chart's canvas with their place, each time it is drawn: [text, x, y], device pixels.
TEXTS = """(() => {
  const fill = CanvasRenderingContext2D.prototype.fillText;
  const texts = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const { e, f } = this.getTransform();
    if (this.canvas.closest("#CHART")) texts.push([text, x + e, y + f]);
    return fill.call(this, text, x, y);
  };
  document.querySelector("input[value=log]").dispatchEvent(new Event("change"));
  return new Promise((done) => requestAnimationFrame(() => {
    CanvasRenderingContext2D.prototype.fillText = fill;
    done(texts);
  }));
})()"""


def test_names_are_above_the_lines_and_do_not_overlap(report: Report, page: Page) -> None:
    page.goto(report("troubled").as_uri())
    texts = page.evaluate(TEXTS.replace("CHART", "latency-end_to_end"))
    top = page.evaluate("document.querySelector('#latency-end_to_end .u-over').offsetTop * devicePixelRatio")
    names = {text: y for text, _, y in texts if text in ("warm-up", "measure")}
    marked = [y for text, _, y in texts if "drive <limited>" in text]
    assert set(names) == {"warm-up", "measure"}
    assert len(marked) == 1
    # The label "measure" may overlap the start of the mark: then the mark has a separate row.
    assert all(0 < y <= top for y in [*names.values(), *marked])
    # No other chart has them.
    assert "measure" not in {text for text, *_ in page.evaluate(TEXTS.replace("CHART", "throughput"))}


def test_a_backlog_below_zero_is_drawn_as_zero_and_stays_in_the_table(
    report: Report, page: Page, tmp_path: Path
) -> None:
    html = report("full").read_text(encoding="utf-8")
    begin = html.index('<script id="data" type="application/json">') + 42
    end = html.index("</script>", begin)
    data = json.loads(html[begin:end])
    backlog = next(spec for spec in data["charts"] if spec["id"] == "backlog")["series"][0]
    backlog["values"][3:6] = [-30, -20, -30]
    path = tmp_path / "below.html"
    path.write_text(html[:begin] + json.dumps(data) + html[end:], encoding="utf-8")
    page.goto(path.as_uri())
    labels = [text for text, *_ in page.evaluate(TEXTS.replace("CHART", "backlog"))]
    assert "0" in labels
    assert not [text for text in labels if text.startswith("−") and ":" not in text]
    page.evaluate("document.querySelector('#backlog details').open = true")
    page.wait_for_function("document.querySelectorAll('#backlog tbody tr').length > 0")
    cells = "[...document.querySelectorAll('#backlog tbody td.n')].map((c) => c.textContent)"
    assert page.evaluate(cells)[3:6] == ["−30", "−20", "−30"]


# Whether the line of publish latency is at the foot of the axis in a second, counted from 0.
AT_FOOT = """(() => {
  const figure = document.querySelector("#latency-publish");
  const over = figure.querySelector(".u-over");
  const x = over.offsetLeft + (over.clientWidth * SECOND) / (COUNT - 1);
  const y = over.offsetTop + over.clientHeight;
  const r = devicePixelRatio;
  const drawn = figure.querySelector("canvas").getContext("2d");
  const pixels = drawn.getImageData(x * r - 2, y * r - 4, 5, 4).data;
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i] - pixels[i + 2] > 60) return true;
  return false;
})()"""


@pytest.mark.parametrize(("value", "drawn"), [(0, True), (None, False)])
def test_zero_is_at_the_bottom_of_a_log_scale(
    report: Report, page: Page, tmp_path: Path, value: int | None, drawn: bool
) -> None:
    """A gap means that there is no value; flushes faster than the kernel's resolution have one."""
    html = report("full").read_text(encoding="utf-8")
    begin = html.index('<script id="data" type="application/json">') + 42
    end = html.index("</script>", begin)
    data = json.loads(html[begin:end])
    spec = next(spec for spec in data["charts"] if spec["id"] == "latency-publish")
    spec["series"][0]["values"][10] = value
    path = tmp_path / "zero.html"
    path.write_text(html[:begin] + json.dumps(data) + html[end:], encoding="utf-8")
    page.goto(path.as_uri())
    asked = AT_FOOT.replace("SECOND", "10").replace("COUNT", str(data["count"]))
    assert page.evaluate(asked) is drawn


def test_on_paper_charts_fit_and_come_back(report: Report, page: Page) -> None:
    page.goto(report("full").as_uri())
    widths = """[...document.querySelectorAll(".plot canvas")]
      .map((canvas) => parseFloat(canvas.style.width || canvas.clientWidth))"""
    before = page.evaluate(widths)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert max(page.evaluate(widths)) <= 690
    assert all(share > 0.005 for share in page.evaluate(INK))
    # Short tables are open; a line names the query for the seconds of a chart.
    opened = "[...document.querySelectorAll('.chart:has(details[open])')].map((f) => f.id)"
    assert page.evaluate(opened) == ["partitions"]
    assert page.evaluate("document.querySelectorAll('#partitions tbody tr').length") == 4
    displays = "[...document.querySelectorAll('.on-paper')].map((p) => getComputedStyle(p).display)"
    assert page.evaluate(displays) == ["none"] * CHARTS
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER_PX, "height": 1000})
    assert page.evaluate(displays) == ["block"] * CHARTS
    beyond = """[...document.querySelectorAll(".card .plot canvas, .card table")].filter((each) =>
      each.getBoundingClientRect().right > each.closest(".card").getBoundingClientRect().right)
      .map((each) => (each.closest("figure") ?? each).outerHTML.slice(0, 80))"""
    assert page.evaluate(beyond) == []
    page.set_viewport_size(VIEWPORT)
    page.emulate_media(media="null")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('details[open]').length") == 0
    page.wait_for_function(f"JSON.stringify({widths}) === '{json.dumps(before, separators=(',', ':'))}'")
    pdf = page.pdf(print_background=True, margin=MARGIN)
    assert pdf.startswith(b"%PDF-")
    assert len(pdf) > 50_000
    assert 4 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= PAPER_PAGES
