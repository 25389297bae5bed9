# SPDX-License-Identifier: Apache-2.0
"""``tailrace compare`` with doubtful runs or repeats: its warnings."""

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.paired import Paired

Tailrace = Callable[..., Result]
WILD = (0.01, 1.0, 100.0)


@pytest.fixture(scope="module")
def runs(client: Client) -> None:
    """Runs of each kind; tests only read them."""
    plan = {"phases": [{"name": "measure", "messages_per_second": 200}]}
    made = [
        Paired("doubt-a", 1, seconds=40),
        Paired("doubt-b", 2, seconds=40),
        Paired("doubt-c", 3, seconds=40),
        Paired("doubt-d", 4, seconds=40),
        Paired("doubt-brief", 5, seconds=12),
        Paired("doubt-failed", 6, seconds=40, audit="fail"),
        Paired("doubt-behind", 7, seconds=40, manifest={"plan": plan}),
        Paired("doubt-late", 8, seconds=40, delay_us=900),
        Paired("doubt-waits", 9, seconds=40, silent=6),
    ]
    for side in "xy":
        for n, factor in enumerate(WILD):
            made.append(Paired(f"wild-{side}{n}", 20 + n, seconds=30, factor=factor))
    for each in made:
        each.insert(client)


@pytest.fixture
def compared(tailrace: Tailrace, runs: None) -> Callable[..., dict[str, Any]]:
    """``compared("a", "b")`` → the JSON of the comparison, read as strictly as JSON is."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    def get(*arguments: str) -> dict[str, Any]:
        result = tailrace("compare", *arguments, "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout, parse_constant=refuse)
        assert isinstance(found, dict)
        return found

    return get


@pytest.fixture
def page(tailrace: Tailrace, runs: None, tmp_path: Path) -> Callable[..., str]:
    """``page("a", "b")`` → the HTML of the comparison."""

    def get(*arguments: str) -> str:
        path = tmp_path / "compare.html"
        result = tailrace("compare", *arguments, "--html", str(path))
        assert result.exit_code == 0, result.output
        return path.read_text(encoding="utf-8")

    return get


def header(html: str) -> str:
    return html.partition("<header")[2].partition("</header>")[0]


def test_two_repeats_have_no_interval(compared: Callable[..., dict[str, Any]]) -> None:
    found = compared("doubt-a,doubt-b", "doubt-c,doubt-d")
    rows = found["runs"][0]["rows"]
    assert {row["verdict"] for row in rows} == {"too few repeats"}
    assert all(row["low"] is None and row["high"] is None for row in rows)
    assert "under 3 repeats of a setting there is no interval: repeat it" in found["notes"]


def test_repeats_far_apart_stay_within_what_numbers_can_be(
    compared: Callable[..., dict[str, Any]], tailrace: Tailrace
) -> None:
    """A factor of 100 from one repeat to the next: the interval's upper end is extreme."""
    sides = [",".join(f"wild-{side}{n}" for n in range(3)) for side in "xy"]
    rows = {(row["what"], row["percentile"]): row for row in compared(*sides)["runs"][0]["rows"]}
    row = rows["publish", 50]
    assert row["verdict"] == "no difference shown"
    assert -row["baseline"] <= row["low"] < 0
    assert row["high"] is None or row["high"] > 10 * row["baseline"]
    (line,) = (
        words
        for each in tailrace("compare", *sides).stdout.splitlines()
        if (words := each.split())[:3] == ["publish", "latency", "p50"]
    )
    assert " ".join(line).count("> +1000 %") == 1


def test_a_latency_that_not_every_repeat_has_is_left_out(
    client: Client, compared: Callable[..., dict[str, Any]]
) -> None:
    """The first repeat of each side has publish delays, the others have not."""
    Paired("doubt-late-too", 12, seconds=40, delay_us=900).insert(client)
    found = compared("doubt-late,doubt-a,doubt-b", "doubt-late-too,doubt-c,doubt-d")
    compared = {row["what"] for row in found["runs"][0]["rows"]}
    assert {"publish", "end_to_end"} < compared
    assert "publish_delay" not in compared


def test_a_rate_that_one_side_kept_exactly_is_no_warning(
    client: Client, compared: Callable[..., dict[str, Any]]
) -> None:
    Paired("doubt-more", 11, seconds=40, rate=101).insert(client)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = compared("doubt-a,doubt-b,doubt-c", "doubt-d,doubt-more,doubt-waits")
    row = found["runs"][0]["rows"][0]
    assert (row["what"], row["verdict"]) == ("acked", "no difference shown")
    assert row["low"] < row["difference"] < row["high"]


def test_an_interval_that_is_cut_off_has_an_arrow(page: Callable[..., str]) -> None:
    html = page(*(",".join(f"wild-{side}{n}" for n in range(3)) for side in "xy"))
    assert "to &gt; +1000 %" in html
    assert 'polygon class="right"' in html
    assert 'polygon class="left"' not in html
    assert "an arrow marks an interval beyond them" in html
    lows = re.findall(r'class="span">−([\d.]+) to', html)
    assert lows
    assert max(map(float, lows)) <= 100
    assert "<polygon" not in page("doubt-a", "doubt-b")


def test_the_headline_of_a_short_run_is_that_it_is_short(page: Callable[..., str]) -> None:
    html = page("doubt-a", "doubt-brief")
    assert "doubt-brief: too short to tell" in header(html)
    assert "no difference shown" not in header(html)


def test_a_failed_audit_is_above_the_numbers_and_in_the_command(page: Callable[..., str]) -> None:
    html = page("doubt-a", "doubt-failed", "--even-if-failed", "--seed", "7")
    assert "doubt-failed: The audit failed." in header(html)
    assert "tailrace compare doubt-a doubt-failed --even-if-failed --seed 7\n" in html
    assert "tailrace compare doubt-a doubt-b\n" in page("doubt-a", "doubt-b")


def test_what_is_not_the_brokers_doing_is_stated(
    compared: Callable[..., dict[str, Any]], page: Callable[..., str]
) -> None:
    notes = compared("doubt-behind", "doubt-late")["notes"]
    (behind,) = (note for note in notes if note.startswith("doubt-behind: The target rate"))
    assert "100 of 200 messages a second were acknowledged (50.0 %)" in behind
    (late,) = (note for note in notes if note.startswith("doubt-late: The load generator was late"))
    assert "Publish delay p99" in late
    html = page("doubt-behind", "doubt-late")
    assert "doubt-behind: The target rate was not reached." in header(html)
    assert "doubt-late: The load generator was late." in header(html)


def test_publish_delay_is_compared_where_both_have_it(client: Client, compared: Callable[..., dict[str, Any]]) -> None:
    Paired("doubt-later", 10, seconds=40, delay_us=1800).insert(client)
    rows = compared("doubt-late", "doubt-later")["runs"][0]["rows"]
    verdicts = {row["percentile"]: row["verdict"] for row in rows if row["what"] == "publish_delay"}
    assert verdicts[50] == verdicts[99] == "higher"


def test_a_run_without_manifest_differs_in_no_part_of_one(
    compared: Callable[..., dict[str, Any]],
) -> None:
    found = compared("doubt-a", "doubt-behind")
    assert found["settings"] == []
    assert any(note.startswith("no manifest of doubt-a:") for note in found["notes"])


def test_lines_over_time_begin_with_the_measure_phase(page: Callable[..., str]) -> None:
    html = page("doubt-a", "doubt-waits")
    found = re.search(r'<script id="data"[^>]*>(.*?)</script>', html, re.DOTALL)
    assert found
    (chart,) = (c for c in json.loads(found[1])["charts"] if c["id"] == "time-publish")
    first, waiting = (line["values"] for line in chart["series"])
    assert first[0] is not None
    assert waiting[:6] == [None] * 6
    assert waiting[6] is not None
    assert len(waiting) == len(first) == 40
