# SPDX-License-Identifier: Apache-2.0
"""One run on a drive whose power is cut several times, and what each cut leaves."""

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from lab.powercut import rows
from lab.powercut.drive import CutDrive
from lab.powercut.line import Line
from lab.powercut.plan import PlannedCut, PlannedPart
from lab.powercut.rows import Compared, Row
from lab.powercut.writelog import Mark
from lab.stand.errors import StandError
from lab.stand.run import BackgroundRun
from tailrace.contracts import POWER_LOSES_SECONDS

WORKLOAD = Path(__file__).with_name("workload.yaml")
FLUSHED_S = POWER_LOSES_SECONDS["fsync"]
_START_S = 90.0
_END_S = 240.0


@dataclass(frozen=True)
class CutResult:
    """``compared``: by the bound of its setting; ``flushed_lost``: rows lost that flushes would have kept;
    ``unstated``: rows that are lost, and that neither the audit nor the warehouse states."""

    compared: Compared
    unstated: int
    flushed_lost: int = 0


@dataclass(frozen=True)
class Whole:
    """Rows up to a cut in the warehouse whose power was not cut: ``all``, those that are older than the setting's bound
    and those that flushes would have kept."""

    all: Counter[Row]
    promised: Counter[Row]
    flushed: Counter[Row]

    @classmethod
    def read(cls, line: Line, run_id: str, at: int, bound_s: int) -> "Whole":
        ages = (0, bound_s, FLUSHED_S)
        return cls(*(rows.stored(line.warehouse.client, run_id, at - age * 1_000_000) for age in ages))


class PowerCuts:
    """``bootstrap_servers``: a broker on another drive, which keeps its power."""

    def __init__(self, folder: Path, bootstrap_servers: str, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.bootstrap_servers = bootstrap_servers
        self.say = say

    def run(self, part: PlannedPart) -> list[CutResult]:
        """Load with all cuts, then look at what each has left."""
        folder = self.folder / part.name
        folder.mkdir(parents=True)
        run_id = f"powercut-{part.name}"
        drive = CutDrive(folder / "drive")
        with drive:
            line = Line(drive.mount, folder / "logs", part.stack)
            with line:
                if part.bound_s > FLUSHED_S:
                    # A stack that was started a minute ago: only what the run writes is at stake.
                    os.sync()
                times = self._load(part, run_id, drive, line, folder)
                passed, text = line.audit(run_id)
                if not passed:
                    raise StandError(f"the run whose power was not cut did not pass its audit: {text}")
                whole = [Whole.read(line, run_id, at, part.bound_s) for at in times]
            results = []
            rng = random.Random(part.seed)
            for number, planned in enumerate(part.cuts):
                with drive.after(Mark(number, planned.flushes), planned.kept_share, rng) as (copy, state):
                    after = Line(copy, folder / f"logs-{number}", part.stack)
                    results.append(self._look(after, run_id, whole[number]))
                self._show(part, number, planned, results[-1], f"{state.pieces} pieces not flushed, {state.kept} kept")
        drive.delete()
        return results

    def _load(self, part: PlannedPart, run_id: str, drive: CutDrive, line: Line, folder: Path) -> list[int]:
        """Returns the cuts' times, µs since 1970."""
        workload = folder / "workload.yaml"
        keys = {"testDuration": f"{part.load_s}s", "durability": part.run, "seed": part.seed}
        workload.write_text(yaml.safe_dump({**yaml.safe_load(WORKLOAD.read_text()), **keys}))
        arguments: list[str | Path] = [workload, "--run-id", run_id, "--bootstrap-servers", self.bootstrap_servers]
        load = BackgroundRun(arguments, folder / "run.out", line.variables)
        try:
            load.wait_phase("measure", _START_S)
            times = [self._cut(planned, drive, line) for planned in part.cuts]
            if load.wait(_END_S):
                raise StandError("the run did not succeed", load.output)
        finally:
            load.kill()
        return times

    def _cut(self, planned: PlannedCut, drive: CutDrive, line: Line) -> int:
        time.sleep(planned.wait_s)
        if not planned.outage_s:
            return drive.cut()
        line.collector.stop()
        time.sleep(planned.outage_s)
        at = drive.cut()
        line.collector.start()
        return at

    def _look(self, line: Line, run_id: str, whole: Whole) -> CutResult:
        try:
            line.start_damaged()
            shipped = line.ship(run_id)
            found = rows.stored(line.warehouse.client, run_id)
            compared = rows.compare(whole.all, whole.promised, found)
            _, text = line.audit(run_id)
            missing = rows.uncounted(line.warehouse.client, run_id)
            # What the warehouse cannot read it names, and it does not start.
            unstated = 0 if line.damage else rows.unstated(line.verdict(run_id), missing, compared.lost)
        finally:
            line.stop()
        (line.logs / "after.txt").write_text(f"{line.damage}\n{shipped}\n{text}\n")
        return CutResult(compared, unstated, sum(1 for row in whole.flushed if row not in found))

    def _show(self, part: PlannedPart, number: int, planned: PlannedCut, result: CutResult, drive: str) -> None:
        compared = result.compared
        self.say(
            f"run {part.run}, stack {part.stack}, cut {number}, collector down for {planned.outage_s:.1f} s, {drive}:"
            f" {compared.promised} rows promised, {compared.lost} lost, {compared.younger_lost} younger ones lost,"
            f" {compared.doubled} doubled, {result.unstated} lost and not stated"
        )
