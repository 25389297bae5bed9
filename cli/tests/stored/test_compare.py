# SPDX-License-Identifier: Apache-2.0
"""``tailrace compare``: its verdicts, refusals and list of settings."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from click.testing import Result
from clickhouse_connect.driver.client import Client

from lab.simulated.named_query import ask
from lab.simulated.paired import Paired

Tailrace = Callable[..., Result]


def planned(rate: int, partitions: int) -> dict[str, Any]:
    """A workload, and a manifest whose plan follows from it, except its payload."""
    phases = [{"seconds": 20, "messages_per_second": rate, "messages": 20 * rate}]
    plan = {"partitions": partitions, "expected_messages": 20 * rate, "phases": phases}
    return {
        "workload": f"name: paired\nproducerRate: {rate}\npartitionsPerTopic: {partitions}\n",
        "manifest": {"plan": {**plan, "payload": f"made for {rate}"}},
    }


@pytest.fixture(scope="module")
def runs(client: Client) -> dict[str, Paired]:
    """One run of each kind; tests only read them."""
    manifest = {"versions": {"kafka_broker": "4.3.1"}, "plan": {"run_id": "x", "seed": 42}}
    slow_driver = "name: kafka\nproducerConfig: |\n  acks=all\n  linger.ms=5\n"
    newer = {"versions": {"kafka_broker": "4.4.0"}, "plan": {"run_id": "y", "seed": 42}}
    made = [
        Paired("pair-a", 1, manifest=manifest),
        Paired("pair-b", 2, manifest=manifest),
        Paired("pair-slow", 3, factor=1.6, driver=slow_driver, manifest=newer),
        Paired("pair-broken", 4, audit="fail"),
        Paired("pair-plain", 5, audit=""),
        Paired("pair-brief", 6, seconds=12),
        Paired("pair-few", 7, rate=20),
        Paired("pair-going", 8, state="running"),
        *(Paired(f"pair-{n}", 9, seconds=20, **planned(50 * n, n)) for n in (4, 8)),
    ]
    for each in made:
        each.insert(client)
    client.command("INSERT INTO runs (run_id, state, updated_time) VALUES ('pair-empty', 'failed', 1)")
    return {each.run_id: each for each in made}


@pytest.fixture(scope="module")
def kept() -> dict[tuple[str, ...], dict[str, Any]]:
    """A cache of comparisons."""
    return {}


@pytest.fixture
def compared(
    tailrace: Tailrace, runs: dict[str, Paired], kept: dict[tuple[str, ...], dict[str, Any]]
) -> Callable[..., dict[str, Any]]:
    """``compared("a", "b")`` → the JSON of the comparison."""

    def get(*arguments: str) -> dict[str, Any]:
        if arguments not in kept:
            result = tailrace("compare", *arguments, "--json")
            assert result.exit_code == 0, result.output
            kept[arguments] = json.loads(result.stdout)
        return kept[arguments]

    return get


def verdicts(document: dict[str, Any], number: int = 0) -> dict[tuple[str, float | None], str]:
    rows = document["runs"][number]["rows"]
    return {(row["what"], row["percentile"]): row["verdict"] for row in rows}


def test_runs_alike_show_no_difference(compared: Callable[..., dict[str, Any]]) -> None:
    found = compared("pair-a", "pair-b")
    assert set(verdicts(found).values()) <= {"no difference shown", "too few messages"}
    assert verdicts(found)["end_to_end", 99] == "no difference shown"
    assert found["settings"] == []


def test_a_slower_run_is_found_with_its_interval(compared: Callable[..., dict[str, Any]]) -> None:
    found = compared("pair-a", "pair-slow")
    rows = {(r["what"], r["percentile"]): r for r in found["runs"][0]["rows"]}
    for percentile in (50, 90, 99):
        row = rows["publish", percentile]
        assert row["verdict"] == "higher"
        assert row["low"] <= row["difference"] <= row["high"]
        # The factor is the true difference, whatever the noise of the two runs.
        assert row["low"] < 0.6 * row["baseline"] * 1.25
        assert row["high"] > 0.6 * row["baseline"] * 0.75
    assert rows["acked", None]["verdict"] == "no difference shown"
    assert rows["acked", None]["baseline"] == pytest.approx(100)


def test_the_other_way_round_is_lower(compared: Callable[..., dict[str, Any]]) -> None:
    assert verdicts(compared("pair-slow", "pair-a"))["end_to_end", 99] == "lower"


def test_the_numbers_are_the_reports(compared: Callable[..., dict[str, Any]], client: Client) -> None:
    rows = {(r["what"], r["percentile"]): r for r in compared("pair-a", "pair-slow")["runs"][0]["rows"]}
    for run_id, side in (("pair-a", "baseline"), ("pair-slow", "run")):
        for row in ask(client, "latency_percentiles_rollup", run_id=run_id):
            if row["stage"] in ("publish", "end_to_end"):
                for column, percentile in (("p50_us", 50), ("p99_us", 99), ("p99_9_us", 99.9)):
                    assert rows[row["stage"], percentile][side] == row[column]


def test_blocks_are_longer_if_seconds_are_correlated(compared: Callable[..., dict[str, Any]], client: Client) -> None:
    Paired("pair-sticky", 11, memory=0.95, seconds=600, rate=50).insert(client)
    Paired("pair-loose", 12, memory=0.0, seconds=600, rate=50).insert(client)
    found = compared("pair-sticky", "pair-loose", "--seed", "1")
    notes = " ".join(found["notes"])
    loose = found["runs"][0]
    assert loose["block_s"] in ([1], [2])
    assert "pair-sticky: 600 blocks of 1 s" not in notes


def test_three_runs_share_one_baseline(compared: Callable[..., dict[str, Any]]) -> None:
    pair, three = compared("pair-a", "pair-b"), compared("pair-a", "pair-b", "pair-slow")
    assert [each["run"] for each in three["runs"]] == ["pair-b", "pair-slow"]
    # With more intervals, each is wider.
    assert three["confidence"] > pair["confidence"]


def test_repeats_carry_what_differs_between_runs(compared: Callable[..., dict[str, Any]], client: Client) -> None:
    """Each run of both settings has a factor of its own: only the setting's own factor is a difference."""
    for name, factors in (("rep-a", (0.8, 1.0, 1.25, 1.1)), ("rep-b", (1.2, 0.9, 0.85, 1.05))):
        for n, factor in enumerate(factors):
            short = Paired(f"{name}{n}", 30 + n, factor=factor, seconds=60, sway=0.05)
            short.insert(client)
            replace(short, run_id=f"{name}{n}-slow", factor=3 * factor).insert(client)
    alike = [",".join(f"{name}{n}" for n in range(4)) for name in ("rep-a", "rep-b")]
    # Two single runs of these differ, which means nothing.
    assert verdicts(compared("rep-a0", "rep-a2"))["publish", 50] == "higher"
    assert set(verdicts(compared(*alike)).values()) <= {"no difference shown", "too few messages"}
    found = compared(alike[0], ",".join(f"rep-b{n}-slow" for n in range(4)))
    assert verdicts(found)["publish", 50] == "higher"
    rows = {(row["what"], row["percentile"]): row for row in found["runs"][0]["rows"]}
    # The geometric mean of factors 0.8, 1, 1.25 and 1.1 is 1.024.
    assert rows["publish", 50]["baseline"] == pytest.approx(2_000 * 1.024, rel=0.05)
    assert "4, 4 repeats" in " ".join(found["notes"])


def test_settings_that_differ_are_listed(compared: Callable[..., dict[str, Any]]) -> None:
    found = {each["setting"]: each["values"] for each in compared("pair-a", "pair-slow")["settings"]}
    assert found == {
        "driver.producerConfig.linger.ms": ["0", "5"],
        "versions.kafka_broker": ["4.3.1", "4.4.0"],
    }


def test_what_a_plan_computes_from_files_that_differ_is_left_out(
    compared: Callable[..., dict[str, Any]],
) -> None:
    found = [each["setting"] for each in compared("pair-4", "pair-8")["settings"]]
    assert found == ["workload.producerRate", "workload.partitionsPerTopic", "plan.payload"]


def test_a_failed_audit_is_refused_unless_forced(tailrace: Tailrace, compared: Callable[..., dict[str, Any]]) -> None:
    refused = tailrace("compare", "pair-a", "pair-broken")
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert "the audit of pair-broken failed" in refused.stderr
    assert "--even-if-failed" in refused.stderr
    forced = compared("pair-a", "pair-broken", "--even-if-failed")
    caution = "pair-broken: The audit failed. Its numbers may be wrong: tailrace audit pair-broken"
    assert caution in forced["notes"]


def test_what_was_not_audited_or_goes_on_has_a_note(compared: Callable[..., dict[str, Any]]) -> None:
    notes = " ".join(compared("pair-plain", "pair-going")["notes"])
    assert "pair-plain was not audited: tailrace audit pair-plain" in notes
    assert "pair-going is running: only the stored part is compared" in notes


def test_a_short_run_and_a_thin_tail_have_no_verdict(compared: Callable[..., dict[str, Any]]) -> None:
    brief = compared("pair-a", "pair-brief")
    assert set(verdicts(brief).values()) == {"too short to tell"}
    # 6,000 messages: 6 above p99.9.
    assert verdicts(compared("pair-a", "pair-few"))["publish", 99.9] == "too few messages"
    assert verdicts(compared("pair-a", "pair-few"))["publish", 99] != "too few messages"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pair-a"], "one run cannot be compared"),
        (["pair-a", "pair-a"], "pair-a is given twice"),
        (["pair-a", "pair-z"], "no run 'pair-z'; nearest:"),
        (["pair-a", "pair-empty"], "run pair-empty has no complete measure phase"),
        (["pair-a,pair-b", "pair-slow"], "give repeats of each"),
        (["pair-a,pair-b", "pair-slow,pair-a"], "pair-a is given twice"),
    ],
)
def test_bad_input_is_one_line(tailrace: Tailrace, runs: dict[str, Paired], arguments: list[str], message: str) -> None:
    result = tailrace("compare", *arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_the_text_names_runs_settings_and_verdicts(tailrace: Tailrace, runs: dict[str, Paired]) -> None:
    text = tailrace("compare", "pair-a", "pair-slow").stdout
    assert "pair-a: paired on kafka, measured 300 s, finished, audit passed" in text
    assert "driver.producerConfig.linger.ms" in text
    assert "pair-slow against pair-a" in text
    (line,) = (words for each in text.splitlines() if (words := each.split())[:3] == ["publish", "latency", "p99"])
    assert line[-1] == "higher"
    assert "which does not prove that there is none" in text
