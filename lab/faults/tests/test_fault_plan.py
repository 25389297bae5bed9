# SPDX-License-Identifier: Apache-2.0
"""The fault plan is a pure function of the seed, and no run's name reveals it."""

import itertools
from dataclasses import replace

from lab.faults import kinds, plan
from lab.faults.fault import Kind
from tailrace.contracts import CAUSES

ALL = list(kinds.ALL.values())
# The words that `tailrace explain` knows.


def test_the_same_seed_is_the_same_plan_and_another_is_not() -> None:
    assert plan.with_faults(7, ALL) == plan.with_faults(7, ALL)
    assert plan.with_faults(7, ALL) != plan.with_faults(8, ALL)


def test_every_strength_of_every_kind_once() -> None:
    made = [(f.kind, f.strength) for run in plan.with_faults(7, ALL) for f in run.faults]
    assert sorted(made) == sorted((kind.name, strength) for kind in ALL for strength in kind.strengths)
    assert len(ALL) >= 12
    assert all(len(kind.strengths) == 2 for kind in ALL)


def test_causes_are_known_causes() -> None:
    assert {cause for kind in ALL for cause in (kind.cause, *kind.also)} <= set(CAUSES)


def test_faults_have_a_baseline_before_and_time_to_recover() -> None:
    for run in plan.with_faults(3, ALL):
        assert run.faults[0].at >= plan.BASELINE_S[0]
        for one, next_one in itertools.pairwise(run.faults):
            lead = kinds.ALL[one.kind].lead_s
            assert next_one.at - one.at - one.seconds - lead >= plan.RECOVER_S[0] - 0.02
        last = run.faults[-1]
        assert run.load_s >= last.at + last.seconds + plan.RECOVER_S[0]


def test_runs_that_share_a_start_need_the_same_drive_and_workers() -> None:
    def needs(kind: Kind) -> tuple[str, int]:
        return kind.drive, kind.workers

    for run in plan.with_faults(3, ALL):
        assert {needs(kinds.ALL[fault.kind]) for fault in run.faults} == {(run.drive, run.workers)}


def test_names_are_unique_and_reveal_nothing() -> None:
    runs = [run for seed in (1, 2) for run in (*plan.with_faults(seed, ALL), *plan.quiet(seed, 4))]
    names = [run.run_id for run in runs]
    assert len(set(names)) == len(names)
    assert {len(name) for name in names} == {16}


def test_another_attempt_at_a_run_is_the_same_plan_under_another_name() -> None:
    first = plan.quiet(1, 1)[0]
    second = replace(first, attempt=2)
    assert second.name == first.name == first.run_id
    assert second.run_id == f"{first.run_id}-2"


def test_even_seeds_tune_and_odd_ones_score() -> None:
    assert [plan.split_of(seed) for seed in (1, 2, 3, 4)] == ["score", "tune", "score", "tune"]
