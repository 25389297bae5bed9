# SPDX-License-Identifier: Apache-2.0
"""The whole stack, with the broker's log on the lab's own drive."""

import contextlib
import os
from pathlib import Path

import psutil

from lab.faults import cgroups, drive, programmable
from lab.faults.drive import Drive
from lab.faults.journal import Journal
from lab.stand.errors import StandError
from lab.stand.stack import StackStand

PLAIN = "plain"
PROGRAMMABLE = "programmable"


class FaultStand(StackStand):
    """One stack in the journal's folder; its runs stay from one start to the next."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal.folder)
        self.journal = journal
        os.environ.update(self.variables)
        self.drive: Drive | None = None

    @property
    def loads(self) -> Path:
        """Workloads and output of the load generators."""
        return self.folder / "loads"

    def attempts(self, name: str) -> int:
        """How many times a run's load was started: one that was aborted has left rows under its name."""
        return len([*self.loads.glob(f"{name}.out"), *self.loads.glob(f"{name}-*.out")])

    def start_on(self, kind: str) -> Drive:
        """Start the stack with its broker's log on a new drive of that kind. Raises Unsupported if there is none."""
        log = self.paths.data / "kafka"
        if os.path.ismount(log):
            raise StandError(f"{log} is a mount point already; run python -m lab.faults clean")
        cgroups.take_precedence(self.journal)
        if kind == PROGRAMMABLE:
            file, control = programmable.start(self.journal, self.folder)
            made = drive.make(self.journal, self.folder, log, file, control)
        else:
            made = drive.make(self.journal, self.folder, log)
        self.drive = made
        # A new drive, and after it an empty folder: the broker's start formats both.
        mark = self.paths.data / "kafka.formatted"
        mark.unlink(missing_ok=True)
        self.journal.record("delete", str(mark))
        self.journal.record("stop-stack", *self.variables.values())
        self.start()
        return made

    def stop(self) -> None:
        """Undo all that is open: faults, stack, drive."""
        self.drive = None
        _done, failures = self.journal.undo_all()
        if failures:
            raise StandError("; ".join(failures))

    @property
    def broker(self) -> psutil.Process:
        """The broker's process. Raises StandError when it has ended."""
        if (found := self.process("kafka.Kafka")) is None:
            raise StandError("the broker has ended", self.paths.logs / "kafka.log")
        return found

    def loaders(self, run_id: str) -> list[psutil.Process]:
        """The load generators of a run, by worker number."""
        found = {}
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                line = process.cmdline()
                if "run" in line and run_id in line and "--worker" in line:
                    found[int(line[line.index("--worker") + 1].split("/")[0])] = process
        return [found[worker] for worker in sorted(found)]
