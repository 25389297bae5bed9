# SPDX-License-Identifier: Apache-2.0
"""What a trial states of drivers that it cannot test, and of its companion."""

import pytest

from tailrace.certify import companion, trial
from tailrace.certify.claims import chosen
from tailrace.certify.evidence import MISSING

(ORDER,) = chosen("order_per_key")


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
