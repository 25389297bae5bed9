# SPDX-License-Identifier: Apache-2.0
"""The short form of the power-cut test (lab/powercut/README.md)."""

from pathlib import Path

import pytest

from lab.powercut import drive, plan
from lab.powercut.__main__ import carry_out, summed
from lab.powercut.part import CutResult
from lab.powercut.rows import Compared
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


GOOD = CutResult(Compared(100, 0, 0), stated=True)
LOST = CutResult(Compared(100, 40, 0), stated=True)


@pytest.mark.parametrize(
    ("kept", "without", "good"),
    [
        (GOOD, LOST, True),
        (GOOD, GOOD, False),
        (LOST, LOST, False),
        (CutResult(Compared(100, 0, 1), stated=True), LOST, False),
        (CutResult(Compared(0, 0, 0), stated=True), LOST, False),
        (GOOD, CutResult(Compared(100, 40, 0), stated=False), False),
    ],
)
def test_what_is_as_promised(kept: CutResult, without: CutResult, good: bool) -> None:
    assert summed({"fsync": [kept], "none": [without]}, SEED)[1] is good


def test_the_same_seed_has_the_same_cuts() -> None:
    assert plan.plan(3, 6, 2) == plan.plan(3, 6, 2)
    assert plan.plan(3, 6, 2) != plan.plan(4, 6, 2)
    assert all(part.cuts[0].outage_s > 0 for part in plan.plan(3, 6, 2))
