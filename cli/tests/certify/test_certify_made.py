# SPDX-License-Identifier: Apache-2.0
"""What a trial states of faults that were not made, of drivers that it cannot test, and of its companion."""

import pytest

from tailrace.certify import companion, faults, trial
from tailrace.certify.claims import chosen
from tailrace.certify.evidence import MISSING
from tailrace.certify.striking import Struck

(ORDER,) = chosen("order_per_key")
KILLED = Struck(faults.BROKER_KILL, "broker 2 killed", 1.0, 2.0)


def test_every_kind_of_a_claim_struck_or_has_a_reason() -> None:
    planned = faults.plan(7, ORDER.name, ORDER.faults, 12)
    assert {each.kind for each in planned} < set(ORDER.faults), "too short for all of them"
    missed = {faults.CONNECTION_CUT: "only root cuts connections", faults.BROKER_KILL: "the load had ended"}
    found = trial.not_made(ORDER, planned, [KILLED], missed)
    assert set(found) == set(ORDER.faults) - {faults.BROKER_KILL}
    assert found[faults.CONNECTION_CUT] == "only root cuts connections"
    late = {each.kind for each in planned} - {faults.BROKER_KILL, faults.CONNECTION_CUT}
    assert {kind: why for kind, why in found.items() if kind in late} == dict.fromkeys(late, trial.TOO_LATE)
    assert trial.TOO_SHORT in found.values()


@pytest.mark.parametrize(
    ("producer", "reason"),
    [
        ({"acks": "all", "partitioner.ignore.keys": "false", "partitioner.class": ""}, ""),
        ({"partitioner.ignore.keys": "true"}, "the driver has partitioner.ignore.keys=true: it writes"),
        ({"partitioner.class": "a.RoundRobin"}, "the driver has partitioner.class=a.RoundRobin: it may write"),
    ],
)
def test_a_driver_that_spreads_keys_cannot_show_their_order(producer: dict[str, str], reason: str) -> None:
    found = trial.excluded(ORDER, producer)
    assert found.startswith(reason)
    assert bool(found) == bool(reason)
    assert trial.excluded(chosen("no_loss")[0], producer) == ""


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["ready\n", "copied=90 transactions=9 aborted=3 fenced=2 zombie_commits=1 assignments=4 errors={}\n"], 3),
        (["ready\n", "copied=90 transactions=9 aborted=3 fenced=0 zombie_commits=0 assignments=4 errors={}\n"], 0),
        (["ready\n"], 0),
        ([], 0),
    ],
)
def test_a_companion_counts_its_replaced_instances(lines: list[str], count: int) -> None:
    assert companion.replacements(lines) == count


def test_whatever_a_claim_needs_has_a_sentence() -> None:
    assert {need for claim in chosen(None) for need in claim.needs} == set(MISSING)
