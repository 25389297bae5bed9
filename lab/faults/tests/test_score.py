# SPDX-License-Identifier: Apache-2.0
"""Truth joined with recorded answers: what is named, right, a false alarm, a stray."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lab.faults import answers, impact, quiet, results, watch
from lab.faults.score import NO_EPISODE, Score, score
from lab.faults.truth import Injected, Truth
from lab.stand.errors import StandError

START = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()


def at(second: float) -> str:
    return datetime.fromtimestamp(START + second, UTC).isoformat()


def episode(start: float, end: float, cause: str, **more: Any) -> dict[str, Any]:
    verdict = {"cause": cause, "device": more.get("device"), "broker": 1, "confidence": "high"}
    return {
        "from": at(start),
        "to": at(end),
        "stage": more.get("stage", "publish"),
        "verdict": verdict,
        "ranked": [],
    }


def injected(start: float, cause: str = "slow_drive", **more: Any) -> Injected:
    values: dict[str, Any] = {"kind": "drive_iops", "strength": "strong", "seed": 1}
    values |= {"split": "score", "outcome": "injected", "cause": cause, "device": "loop4"}
    return Injected(**(values | {"start": at(start), "end": at(start + 10)} | more))


def one_run(injections: list[Injected], found: list[dict[str, Any]], **more: Any) -> Score:
    truth = Truth("r", 1, more.get("split", "score"), "plain", not injections, injections)
    return score("score", [(truth, answers.episodes({"episodes": found}), more.get("latency"))])


def test_the_right_cause_and_device() -> None:
    result = one_run([injected(30)], [episode(31, 42, "slow_drive", device="loop4")])
    assert (result.top1, result.scored[0].device_right, result.unmatched) == (1.0, True, 0)
    assert "injected=1 named=1 top1=1.000" in result.line()
    assert "devices=1/1" in result.line()


def test_a_wrong_device_with_the_right_cause_is_counted() -> None:
    result = one_run([injected(30)], [episode(31, 42, "slow_drive", device="vda")])
    assert result.top1 == 1.0
    assert "devices=0/1" in result.line()


def test_a_wrong_cause_is_named_and_not_right() -> None:
    result = one_run([injected(30)], [episode(31, 42, "network")])
    assert "injected=1 named=1 top1=0.000" in result.line()


@pytest.mark.parametrize("found", [[], [episode(46, 50, "slow_drive")]])
def test_no_episode_within_five_seconds_is_not_named(found: list[dict[str, Any]]) -> None:
    result = one_run([injected(30)], found)
    assert result.scored[0].verdict == NO_EPISODE
    assert "injected=1 named=0 top1=0.000" in result.line()
    assert result.unmatched == len(found)


def test_an_episode_while_the_backlog_drains_counts() -> None:
    assert one_run([injected(30)], [episode(44, 50, "slow_drive")]).top1 == 1.0


def test_unknown_is_not_named_but_right_where_nothing_could_be_seen() -> None:
    found = [episode(31, 42, "unknown")]
    assert "named=0 top1=0.000" in one_run([injected(30)], found).line()
    assert "named=1 top1=1.000" in one_run([injected(30, also=["unknown"])], found).line()


def test_the_episode_with_the_longest_overlap_counts() -> None:
    found = [episode(20, 31, "network"), episode(31, 44, "slow_drive")]
    assert one_run([injected(30)], found).scored[0].verdict == "slow_drive"


def test_an_injection_without_effect_is_not_scored_and_its_episode_is_matched() -> None:
    result = one_run([injected(30, outcome="no effect")], [episode(31, 42, "network")])
    assert (result.scored, result.unmatched, result.outcomes["no effect"]) == ([], 0, 1)


def seconds(slow: dict[int, float], missing: int = -1) -> dict[int, dict[str, float]]:
    """A hundred of them, both stages at 10 ms but for some."""
    p99 = {n: slow.get(n, 10_000.0) for n in range(100) if n != missing}
    return {int(START) + n: {"publish": us, "end_to_end": us} for n, us in p99.items()}


@pytest.mark.parametrize(
    ("latency", "harmless"),
    [
        (seconds({}), 1),
        (seconds({33: 29_000, 60: 90_000}), 1),
        (seconds({33: 31_000}), 0),
        (seconds(dict.fromkeys(range(30, 42), 16_000)), 0),
        (seconds({}, missing=35), 0),
        (None, 0),
    ],
    ids=["as ever", "one second a little", "one second", "all a little", "silence", "not known"],
)
def test_an_injection_without_latency_or_episode_is_harmless(latency: Any, harmless: int) -> None:
    result = one_run([injected(30)], [], latency=latency)
    assert (len(result.harmless), len(result.scored)) == (harmless, 1 - harmless)
    assert f"injected={1 - harmless}" in result.line()
    assert f"harmless={harmless}" in result.line()
    if harmless:
        assert "not scored: drive_iops strong." in results.page([result], loud=False, rules="r")


def test_an_episode_is_scored_though_nothing_was_raised() -> None:
    result = one_run([injected(30)], [episode(31, 42, "network")], latency=seconds({}))
    assert "injected=1 named=1 top1=0.000" in result.line()


def test_rows_of_the_query_become_seconds() -> None:
    row = {"time": "2026-03-01 12:00:07", "phase": "measure", "stage": "publish", "p99_us": 5}
    rows = [row, row | {"phase": "warmup"}, row | {"stage": "publish_delay"}]
    assert impact.latency(rows) == {int(START) + 7: {"publish": 5.0}}


def test_an_episode_of_a_quiet_run_is_a_false_alarm() -> None:
    result = one_run([], [episode(31, 42, "network"), episode(50, 52, "unknown")])
    assert "quiet_runs=1 false_alarms=2" in result.line()


def test_a_quiet_run_on_a_noisy_machine_is_not_counted() -> None:
    truth = Truth("r", 1, "score", "plain", True, [], loud="others took 0.4 of the CPUs for 3 s")
    found = answers.episodes({"episodes": [episode(31, 42, "cpu_starvation")]})
    result = score("score", [(truth, found, None)])
    assert "quiet_runs=0 false_alarms=0" in result.line()
    assert result.line().endswith(" loud=1")


@pytest.mark.parametrize(
    ("shares", "expected"),
    [([], 0.0), ([0.3], 0.3), ([0.9, 0, 0, 0], 0.3), ([0, 0.2, 0.4, 0.6, 0], 0.4)],
)
def test_the_worst_seconds_in_a_row(shares: list[float], expected: float) -> None:
    assert watch.worst(shares) == pytest.approx(expected)


def test_a_watch_sees_how_late_it_is_itself() -> None:
    """Nothing else may run while this thread keeps the interpreter to itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.2)
    try:
        with watch.Watch() as watching:
            until = time.monotonic() + 1
            while time.monotonic() < until:
                pass
    finally:
        sys.setswitchinterval(interval)
    noise = watching.noise()
    assert noise["late_during_ms"] > 50
    assert "late_during_ms" in quiet.above(noise, quiet.QUIET)
    assert not quiet.above(noise, quiet.ANY)


def test_the_other_split_and_runs_without_an_answer_do_not_score() -> None:
    other = one_run([injected(30)], [], split="tune")
    assert other.scored == []
    truth = Truth("r", 1, "score", "plain", False, [injected(30)])
    unanswered = score("score", [(truth, None, None)])
    assert (unanswered.scored, unanswered.unanswered) == ([], 1)


def test_an_answer_of_another_shape_is_refused() -> None:
    broken = episode(1, 2, "network")
    del broken["verdict"]["cause"]
    with pytest.raises(StandError, match="cause"):
        answers.episodes({"episodes": [broken]})


def test_the_page_has_the_confusion() -> None:
    found = [episode(31, 42, "network"), episode(131, 142, "slow_drive")]
    scored = one_run([injected(30), injected(130), injected(230)], found)
    text = results.page([scored], loud=False, rules="abc")
    head, row = (line for line in text.splitlines() if line.startswith(("| injected \\", "| slow_drive")))
    cells = dict(zip(head.split("|"), row.split("|"), strict=True))
    assert {key.strip(): value.strip() for key, value in cells.items() if value.strip()} == {
        "injected \\ verdict": "slow_drive",
        "slow_drive": "1",
        "network": "1",
        NO_EPISODE: "1",
    }
    assert "| drive_iops | strong | slow_drive | 1 of 3 |" in text
    assert "| 1 | 3 | 1 | 0 | 0 |" in text
    assert "rules `abc`" in text


def test_two_causes_may_be_right_and_the_page_shows_both() -> None:
    scored = one_run([injected(30, also=["unknown"])], [episode(31, 42, "unknown")])
    text = results.page([scored], loud=False, rules="abc")
    assert "| drive_iops | strong | slow_drive or unknown | 1 of 1 | unknown |" in text


def test_an_answer_of_other_rules_is_not_current(tmp_path: Path) -> None:
    """A stand-in for explain, which prints what both questions may be answered by."""
    asked = answers.Answers(tmp_path)
    assert not asked.current("r")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "COMMAND", script(tmp_path / "tailrace", "echo '{}'"))
        asked.ask("r")
    assert asked.current("r")
    asked.rules = "other"
    assert not asked.current("r")


def test_an_answer_that_fails_is_not_current_any_more(tmp_path: Path) -> None:
    asked = answers.Answers(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "COMMAND", script(tmp_path / "tailrace", "echo '{}'"))
        asked.ask("r")
        patch.setattr(answers, "COMMAND", script(tmp_path / "tailrace", "exit 1"))
        with pytest.raises(StandError, match="ended with 1"):
            asked.ask("r")
    assert not asked.current("r")


def test_rules_change_their_name_with_code_and_queries(tmp_path: Path) -> None:
    explain, queries = tmp_path / "cli" / "tailrace" / "explain", tmp_path / "queries"
    explain.mkdir(parents=True)
    queries.mkdir()
    names = [answers.rules(tmp_path)]
    for file, text in ((explain / "a.py", "1"), (explain / "a.py", "2"), (queries / "b.sql", "2")):
        file.write_text(text)
        names.append(answers.rules(tmp_path))
    assert len(set(names)) == len(names)


def script(file: Path, line: str) -> str:
    file.write_text(f"#!/bin/sh\n{line}\n")
    file.chmod(0o755)
    return str(file)
