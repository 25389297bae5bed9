# SPDX-License-Identifier: Apache-2.0
"""The page of ``tailrace compare``: complete, drawn, and silent on the network."""

import re
from collections.abc import Iterator
from pathlib import Path

import html_page
import pytest
from click.testing import CliRunner
from clickhouse_connect.driver.client import Client
from playwright.sync_api import Page

from lab.stand.browser import CHROMIUM, NO_CHROMIUM, TWO_FRAMES, chromium, watch
from tailrace.main import cli


@pytest.fixture(scope="module")
def compared(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compared") / "compare.html"
    result = CliRunner().invoke(cli, ["compare", "full", "troubled", "--html", str(path)])
    assert result.exit_code == 0, result.output
    return path


def test_the_page_has_the_verdicts_of_the_text(compared: Path) -> None:
    read = html_page.Page(compared.read_text(encoding="utf-8"))
    assert "troubled against full" in read.visible
    # Every publish was 3 ms late.
    by = r"(?: to p[\d.]+|(?:, p[\d.]+)+)? higher by [\d.]+(?: to [\d.]+)? %"
    for stage in ("publish", "end-to-end"):
        clauses = re.findall(rf"{stage} latency p50{by}", read.text["header"])
        assert len(clauses) == 1, read.text["header"]
    assert "p99 of each second, every run" in read.visible
    # 25 s of the 30,000 messages were measured: the percentiles' messages.
    assert "25 s 24,000" in read.visible
    # A run without a manifest differs in every setting of a manifest, which means nothing.
    # The broker caused neither, so both are above its numbers.
    assert "troubled: Messages failed. 7 of 30,007 messages" in read.text["header"]
    assert "troubled: The load generator was late." in read.text["header"]
    # It has no host metrics, which is no warning.
    assert re.findall(r"full: ([^:]*):", read.text["header"]) == ["Not checked"]
    assert "versions.kafka_broker" not in read.visible
    assert "no manifest of troubled:" in read.visible
    assert "troubled was not audited: tailrace audit troubled" in read.visible
    names = [line["label"] for line in read.chart("curve-end_to_end")["series"]]
    assert names == ["full", "troubled"]
    times = read.line("time-publish", "full")["values"]
    assert len(times) == read.data["count"] == len(read.line("time-publish", "troubled")["values"])


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page()


@pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)
def test_it_is_drawn_without_error_or_request(compared: Path, page: Page) -> None:
    seen = watch(page)
    page.goto(compared.as_uri())
    page.evaluate(TWO_FRAMES)
    assert {url for url in seen.requests if not url.startswith("data:")} == {compared.as_uri()}
    assert seen.errors == []
    assert page.evaluate("document.querySelectorAll('figure.chart canvas').length") == 4
    assert page.evaluate("document.querySelectorAll('svg.interval rect').length") > 4
    widths = """[...document.querySelectorAll("svg.interval rect")]
      .map((rect) => rect.getBoundingClientRect().width)"""
    assert all(width > 0 for width in page.evaluate(widths))
