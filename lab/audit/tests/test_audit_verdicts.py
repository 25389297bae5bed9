# SPDX-License-Identifier: Apache-2.0
"""What counts as found: the right check, at the right place, and nothing else."""

import re
from collections.abc import Sequence

from lab.audit.anomalies import CASES
from lab.audit.plan import Case, PlannedRun, Plant
from lab.audit.runs import Outcome
from lab.audit.verdicts import Judged, judge
from tailrace.api import Check, Finding

HIDDEN = Plant("hidden", "HIDE", 3, fails=(("missing", r"/{partition}: .* offsets {offset}"),))
STATED = Plant("foreign", "FOREIGN", 1, notes=(r"^{messages} messages were written by other programs",))
RIGHT = ("missing", "t/3: missing is 1, offsets 60)")
NOTE = "1 messages were written by other programs"


def judged(
    failures: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    *plants: Plant,
    offset: int | None = 60,
    verdict: str = "",
) -> Judged:
    case = Case("case", plants)
    planted = {plant.name: None if offset is None else {"offset": offset, "messages": 1} for plant in plants}
    word = verdict or ("fail" if failures else "pass")
    code = int(word != "pass")
    return judge(Outcome(PlannedRun(case, not plants), code, planted, word, failures, notes), STATED.notes)


def test_the_right_check_at_the_right_place_is_found() -> None:
    assert judged([RIGHT], [], HIDDEN) == Judged({}, [])


def test_another_offset_partition_or_name_is_not() -> None:
    for other in (
        ("missing", "t/3: missing is 1, offsets 600)"),
        ("missing", "t/13: missing is 1, offsets 6)"),
        ("altered", RIGHT[1]),
    ):
        result = judged([other], [], HIDDEN)
        assert list(result.missed) == ["hidden"]
        assert result.alarms == [f"{other[0]}: {other[1]}"]


def test_what_is_found_beside_it_is_a_false_alarm() -> None:
    result = judged([RIGHT, ("corrupt", "worker 0")], [], HIDDEN)
    assert result == Judged({}, ["corrupt: worker 0"])


def test_an_anomaly_that_was_not_planted_is_not_found() -> None:
    assert judged([RIGHT], [], HIDDEN, offset=None).missed == {"hidden": ["it was not planted"]}


def test_a_note_is_required_and_no_failure() -> None:
    assert judged([], [NOTE], STATED) == Judged({}, [])
    assert list(judged([], [], STATED).missed) == ["foreign"]


def test_a_clean_run_has_neither_failures_nor_notes_of_anomalies() -> None:
    assert judged([], ["the run was interrupted"]) == Judged({}, [])
    assert judged([], [NOTE]).alarms == [NOTE]
    assert judged([RIGHT]).alarms == [f"missing: {RIGHT[1]}"]


def test_a_run_without_an_audit_found_nothing() -> None:
    assert list(judged([], [], HIDDEN, verdict="none").missed) == ["hidden"]
    assert len(judged([], [], verdict="none").alarms) == 1


def claimed(*found: Finding, clean: bool = False) -> Judged:
    """Of a run with an anomaly that breaks no_loss, or of its clean run; its audit is right."""
    plant = Plant("hidden", "HIDE", 3, fails=HIDDEN.fails, claim=("no_loss", "not_received", r"/{partition}@{offset}"))
    planted = {} if clean else {plant.name: {"offset": 60}}
    failures, checks = [] if clean else [RIGHT], {"no_loss": Check(9, found, 0.1)}
    verdict = "pass" if clean else "fail"
    run = PlannedRun(Case("case", (plant,)), clean)
    return judge(Outcome(run, int(not clean), planted, verdict, failures, (), checks))


def test_an_anomaly_must_break_its_claim_too() -> None:
    assert claimed(Finding("not_received", 1, "t/3@60, not received")) == Judged({}, [])
    for other in (
        Finding("not_received", 1, "t/3@600, not received"),
        Finding("lost_from_log", 1, "t/3@60"),
        Finding("untested_not_received", 1, "t/3@60"),
    ):
        assert list(claimed(other).upheld) == ["hidden"]


def test_a_violation_in_a_clean_run_is_a_false_alarm() -> None:
    assert claimed(Finding("untested_unread", 1, "t/3@60"), clean=True) == Judged({}, [])
    found = claimed(Finding("not_received", 1, "t/3@60"), clean=True)
    assert found.alarms == ["claim no_loss: not_received: t/3@60"]


def test_every_pattern_of_the_plan_is_one() -> None:
    for case in CASES:
        for plant in (*case.plants, Plant("both", fails=case.also, notes=case.states)):
            claims = [plant.claim[2]] if plant.claim else []
            for pattern in (*(text for _, text in (*plant.fails, *plant.also)), *plant.notes, *claims):
                re.compile(re.sub(r"\{\w+\}", "1", pattern))


def test_anomalies_of_a_case_have_different_places_and_names() -> None:
    for case in CASES:
        places = [(plant.partition, plant.at) for plant in case.plants if plant.kind and not plant.block]
        assert len(places) == len(set(places)), case.name
        assert len({plant.name for plant in case.plants}) == len(case.plants), case.name
