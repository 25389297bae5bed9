# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: on paper, and with what somebody marked."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from devtools import CHROMIUM, Tab
from test_report_browser import CHARTS, INK

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium to look at the report with: apt install chromium"
)
Report = Callable[[str], Path]
# Of a run of half a minute.
PAPER_PAGES = 9


def test_what_was_marked_is_a_line_in_every_chart_over_time(report: Report, tab: Tab) -> None:
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
        tab.open(report(run_id))
        tab.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found = tab.run(marked)
        assert len(found) > 4
        assert all(share > least for share in found) if least else not any(found), found
    tab.open(report("troubled"))
    table = "document.querySelector('#episodes table:last-of-type tbody').textContent"
    assert "fault" in tab.run(table)
    assert "drive <limited>" in tab.run(table)


def test_on_paper_charts_fit_and_come_back(report: Report, tab: Tab) -> None:
    tab.open(report("full"))
    widths = """[...document.querySelectorAll(".plot canvas")]
      .map((canvas) => parseFloat(canvas.style.width || canvas.clientWidth))"""
    before = tab.run(widths)
    tab.run("dispatchEvent(new Event('beforeprint'))")
    assert max(tab.run(widths)) <= 690
    assert all(share > 0.005 for share in tab.run(INK))
    # Short tables are open; of the seconds of a chart it is said where they are.
    opened = "[...document.querySelectorAll('.chart:has(details[open])')].map((f) => f.id)"
    assert tab.run(opened) == ["partitions"]
    assert tab.run("document.querySelectorAll('#partitions tbody tr').length") == 4
    told = "[...document.querySelectorAll('.on-paper')].map((p) => getComputedStyle(p).display)"
    assert tab.run(told) == ["none"] * CHARTS
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.run(told) == ["block"] * CHARTS
    tab.call("Emulation.setEmulatedMedia", media="")
    tab.run("dispatchEvent(new Event('afterprint'))")
    assert tab.run("document.querySelectorAll('details[open]').length") == 0
    tab.until(f"JSON.stringify({widths}) === '{json.dumps(before, separators=(',', ':'))}'")
    pdf = base64.b64decode(tab.call("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF-")
    assert len(pdf) > 50_000
    assert 4 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= PAPER_PAGES
