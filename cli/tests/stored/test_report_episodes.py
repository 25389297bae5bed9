# SPDX-License-Identifier: Apache-2.0
"""The report names when a run was slow, and the cause that ``tailrace explain`` gives."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client
from test_explain_picture import embedded

from lab.simulated.per_second import Simulated, SimulatedFault
from lab.simulated.signatures import SIGNATURES

SLOW = next(levels for name, _, levels in SIGNATURES if name == "writes 10 ms slower")


def test_an_episode_is_in_the_table_and_shaded_in_every_chart(
    client: Client, tailrace: Callable[..., Result], tmp_path: Path
) -> None:
    Simulated("explained-report", [SimulatedFault(60, 75, SLOW)]).insert(client)
    result = tailrace("report", "explained-report", "--out", tmp_path / "explained.html")
    assert result.exit_code == 0, result.output
    html = (tmp_path / "explained.html").read_text(encoding="utf-8")
    (row,) = [line for line in html.splitlines() if "<td>slow drive of sdb" in line]
    assert "2026-01-15 10:01:00" in row
    assert '<td class="n">15</td>' in row
    assert "<td>high</td>" in row
    assert "tailrace query signal_ranking --run explained-report" in html
    marks = [p for p in embedded(html)["phases"] if p["name"] == "episode"]
    assert [(p["start"], p["end"]) for p in marks] == [(50, 65)]


def test_the_report_has_the_words_of_explain(client: Client, tailrace: Callable[..., Result], tmp_path: Path) -> None:
    Simulated("calm-report").insert(client)
    assert tailrace("report", "calm-report", "--out", tmp_path / "calm.html").exit_code == 0
    html = (tmp_path / "calm.html").read_text(encoding="utf-8")
    printed = re.search(r"calm-report: (no episode of 3 s or longer; .*?\)),", explained(tailrace))
    assert printed is not None
    assert printed[1].removeprefix("no") in html


def explained(tailrace: Callable[..., Result]) -> str:
    return str(tailrace("explain", "calm-report").stdout)


@pytest.mark.parametrize("name", ["v_signals_of_1s", "v_signals"])
def test_a_query_that_fails_costs_its_section_alone(
    client: Client,
    tailrace: Callable[..., Result],
    without: Callable[[str], object],
    tmp_path: Path,
    name: str,
) -> None:
    run = Simulated(f"missing-{name}", [SimulatedFault(60, 75, SLOW)])
    run.insert(client)
    with without(name):  # type: ignore[attr-defined]
        result = tailrace("report", run.run_id, "--out", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Not explained: the warehouse answered with an error" in html
    assert 'id="latency-publish"' in html
