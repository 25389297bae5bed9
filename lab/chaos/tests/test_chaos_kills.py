# SPDX-License-Identifier: Apache-2.0
"""Many kills in one call go on where they were interrupted; what no fault can cause fails a round."""

import json
from collections import Counter
from pathlib import Path

import pytest

from lab.chaos import plan
from lab.chaos.audited import judged
from lab.chaos.compare import Comparison
from lab.chaos.kills import Carry, OtherSeed, Progress
from lab.chaos.messages import Allowed, Messages
from lab.chaos.tally import Tally


def carried(batches: list[int]) -> Carry:
    def carry(batch: int, rounds: list[plan.PlannedRound]) -> Tally:
        batches.append(batch)
        return Tally(Counter({"kill broker": 6 * len(rounds), "terminate all": 9}), messages=Messages(messages=100))

    return carry


def test_batches_follow_until_that_many_kills_have_happened(tmp_path: Path) -> None:
    batches: list[int] = []
    tally = Progress.open(tmp_path / "kills.json", 7, 1).carry_out(50, carried(batches), lambda _line: None)
    assert batches == [0, 1]
    assert (tally.kills, tally.messages.messages) == (54, 200)
    assert not (tmp_path / "kills.json").exists()


def test_an_interrupted_call_goes_on_after_its_last_whole_batch(tmp_path: Path) -> None:
    file = tmp_path / "kills.json"
    batches: list[int] = []
    carry = carried(batches)

    def interrupted(batch: int, rounds: list[plan.PlannedRound]) -> Tally:
        if batch == 2:
            raise KeyboardInterrupt
        return carry(batch, rounds)

    with pytest.raises(KeyboardInterrupt):
        Progress.open(file, None, 7).carry_out(150, interrupted, lambda _line: None)
    with pytest.raises(OtherSeed, match="2 batches of seed 7"):
        Progress.open(file, 8, 1)
    again = Progress.open(file, None, 1)
    assert (again.seed, again.batches, again.tally.kills) == (7, 2, 72)
    tally = again.carry_out(150, carry, lambda _line: None)
    assert batches == [0, 1, 2, 3, 4]
    assert (tally.kills, tally.faults["terminate all"]) == (150, 45)


def test_a_batch_that_is_not_good_ends_the_call_and_is_repeated(tmp_path: Path) -> None:
    file = tmp_path / "kills.json"

    def bad(batch: int, rounds: list[plan.PlannedRound]) -> Tally:
        done = Tally(Counter({"kill broker": 10}))
        if batch == 1:
            done.messages.missing = 1
        return done

    tally = Progress.open(file, None, 7).carry_out(100, bad, lambda _line: None)
    assert (tally.good, tally.kills, tally.messages.missing) == (False, 20, 1)
    assert Progress.open(file, None, 1).batches == 1


def test_kills_are_planned_by_seed_and_batch() -> None:
    assert plan.kills(1, 0, 1000) == plan.kills(1, 0, 1000)
    assert plan.kills(1, 0, 1000) != plan.kills(1, 1, 1000)
    assert [planned.end for planned in plan.kills(1, 0, 1000)] == list(plan.ENDS)
    assert [planned.end for planned in plan.kills(1, 0, 12)] == list(plan.ENDS[:2])
    kinds = {fault.kind for planned in plan.kills(1, 0, 1000) for fault in planned.faults}
    assert kinds == {plan.KILL_BROKER, plan.KILL_COLLECTOR, plan.KILL_WAREHOUSE}


def test_the_result_has_messages_and_rows_apart() -> None:
    tally = Tally(Counter({"kill broker": 2, "hang": 1}), Comparison(rows=5, lost=1), Messages(missing=3), wrong=["w"])
    lines = tally.lines(9)
    assert lines[:3] == ["WRONG w", "    1 × hang", "    2 × kill broker"]
    values = dict(pair.split("=") for pair in lines[-1].split()[1:])
    names = ("faults", "kills", "missing", "duplicated", "reordered", "rows", "lost_rows", "wrong", "seed")
    assert [values[name] for name in names] == ["3", "2", "3", "0", "0", "5", "1", "1", "9"]
    assert not tally.good
    assert Tally.from_json(tally.to_json()) == tally


@pytest.mark.parametrize("name", ["missing", "duplicated", "reordered"])
def test_any_message_that_is_wrong_fails(name: str) -> None:
    tally = Tally()
    assert tally.good
    setattr(tally.messages, name, 1)
    assert not tally.good


@pytest.mark.parametrize(
    ("checks", "allowed", "verdict"),
    [
        ([], Allowed(), "pass"),
        (["unsent"], Allowed(), "pass"),
        (["unsent", "lost"], Allowed(), "incomplete"),
        (["duplicated"], Allowed(), "fail"),
        (["duplicated"], Allowed(away=(1,)), "pass"),
        (["missing"], Allowed(away=(1,)), "fail"),
        (["missing", "killed"], Allowed(ended=2), "incomplete"),
        (["reordered"], Allowed(away=(1,), ended=2), "fail"),
        (["acknowledged_twice", "lost"], Allowed(away=(1,), ended=2), "fail"),
    ],
)
def test_the_audit_may_fail_only_for_what_the_faults_cause(checks: list[str], allowed: Allowed, verdict: str) -> None:
    audit = json.dumps({"failures": [{"check": check, "text": f"about {check}"} for check in checks]})
    assert judged(audit, allowed).verdict == verdict
    assert judged("", allowed).verdict == "fail"
