# SPDX-License-Identifier: Apache-2.0
"""The short form of the power-cut test (lab/powercut/README.md)."""

import json
from itertools import product
from pathlib import Path

import pytest

from lab.powercut import drive, plan
from lab.powercut.__main__ import carry_out, summed
from lab.powercut.part import CutResult
from lab.powercut.rows import Compared, unstated
from tailrace.api import REPO_ROOT

SEED = 7


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.skipif(bool(drive.missing()), reason=f"no drive whose power can be cut: {drive.missing()}")
def test_flushed_rows_survive_a_power_cut_and_others_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAILRACE_NO_FITNESS", "1")
    monkeypatch.setenv("PYTHONPATH", f"{REPO_ROOT}:{REPO_ROOT}/cli")
    line, good = summed(carry_out(plan.short(SEED), tmp_path / "cuts"), SEED)
    assert good, line


GOOD = CutResult(Compared(100, 0, 0), 0)
WITHOUT = CutResult(Compared(100, 0, 0, 40), 0, flushed_lost=40)


@pytest.mark.parametrize(
    ("kept", "without", "good"),
    [
        (GOOD, WITHOUT, True),
        (GOOD, GOOD, False),
        (CutResult(Compared(100, 40, 0), 0), WITHOUT, False),
        (CutResult(Compared(100, 0, 1), 0), WITHOUT, False),
        (CutResult(Compared(0, 0, 0), 0), WITHOUT, False),
        (CutResult(Compared(100, 0, 0), 3), WITHOUT, False),
        (GOOD, CutResult(Compared(100, 0, 0, 40), 1, 40), False),
        (GOOD, CutResult(Compared(100, 2, 0, 40), 0, 40), False),
    ],
)
def test_what_is_as_promised(kept: CutResult, without: CutResult, good: bool) -> None:
    assert summed({"fsync-fsync": [kept], "none-none": [without]}, SEED)[1] is good


def verdict(*failures: tuple[str, str, int, int]) -> str:
    names = ("check", "where", "expected", "actual")
    return json.dumps({"failures": [dict(zip(names, each, strict=True)) for each in failures]})


RUNNING = ("state", "run", 0, 1)


@pytest.mark.parametrize(
    ("audit", "missing", "lost", "rows"),
    [
        (verdict(RUNNING), {"publishes": 0}, 0, 0),
        # That the run has not ended states nothing of what is lost.
        (verdict(RUNNING), {"publishes": 7}, 0, 7),
        (verdict(RUNNING), {"publishes": 0}, 3, 3),
        (verdict(RUNNING, ("stored", "worker 0 publishes", 10, 3)), {"publishes": 7}, 5, 0),
        (verdict(RUNNING, ("stored", "worker 0 publishes", 10, 3)), {"publishes": 7}, 9, 2),
        (verdict(RUNNING, ("stored", "worker 0 deliveries", 10, 3)), {"publishes": 7}, 0, 7),
        (verdict(("lost", "worker 0 publishes", 0, 2), ("stored", "worker 0 publishes", 8, 3)), {"publishes": 7}, 0, 0),
        (verdict(("ledger", "worker 0", 1, 0)), {"publishes": 0}, 9, 0),
        ("", {"publishes": 0}, 9, 0),
    ],
)
def test_a_loss_that_the_audit_does_not_count_is_unstated(
    audit: str, missing: dict[str, int], lost: int, rows: int
) -> None:
    assert unstated(audit, missing, lost) == rows


def test_each_row_of_the_table_is_tried_and_its_bound_is_reached() -> None:
    parts = plan.plan(SEED, 2, 2)
    assert {(part.run, part.stack) for part in parts} == set(product(("none", "fsync"), repeat=2))
    for part in parts[1:]:
        assert sum(cut.wait_s + cut.outage_s for cut in part.cuts) > part.bound_s + 5


def test_the_same_seed_has_the_same_cuts() -> None:
    assert plan.plan(3, 6, 2) == plan.plan(3, 6, 2)
    assert plan.plan(3, 6, 2) != plan.plan(4, 6, 2)
    assert all(part.cuts[0].outage_s > 0 for part in plan.plan(3, 6, 2))
