# SPDX-License-Identifier: Apache-2.0
"""The real stack in a state folder of the lab's own, the broker's log on the lab's drive."""

from __future__ import annotations

import contextlib
import os
import random
import socket
from pathlib import Path

import psutil

from lab.faults import cgroups, drive, programmable
from lab.faults.drive import Drive
from lab.faults.errors import LabError
from lab.faults.journal import Journal
from tailrace.stack.api import StackPaths, up
from tailrace.stack.paths import PORT_NAMES
from tailrace.stack.processes import stack_processes

PLAIN = "plain"
PROGRAMMABLE = "programmable"


class Place:
    """One stack; its runs stay from one start to the next. ``env``: how all programs find it."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.folder = journal.folder
        ports = self.folder / "ports.env"
        ports.write_text("".join(f"{n}={p}\n" for n, p in zip(PORT_NAMES, _free_ports(len(PORT_NAMES)), strict=True)))
        self.env = {"TAILRACE_STATE": str(self.folder / "state"), "TAILRACE_PORTS": str(ports)}
        self.paths = StackPaths.load(self.env)
        os.environ.update(self.env)
        self.drive: Drive | None = None

    @property
    def loads(self) -> Path:
        """What load generators were told and said."""
        return self.folder / "loads"

    def attempts(self, name: str) -> int:
        """How often a run's load was begun: one that was broken off has left rows under its name."""
        return len([*self.loads.glob(f"{name}.out"), *self.loads.glob(f"{name}-*.out")])

    def up(self, kind: str) -> Drive:
        """Start the stack, its broker's log on a new drive of that kind. Raises Lacking where there is none."""
        log = self.paths.data / "kafka"
        if os.path.ismount(log):
            raise LabError(f"{log}: something is mounted there; python -m lab.faults clean")
        cgroups.take_precedence(self.journal)
        if kind == PROGRAMMABLE:
            file, control = programmable.start(self.journal, self.folder)
            made = drive.make(self.journal, self.folder, log, file, control)
        else:
            made = drive.make(self.journal, self.folder, log)
        self.drive = made
        # A new drive, and after it an empty folder: both are to be formatted by the broker's start.
        mark = self.paths.data / "kafka.formatted"
        mark.unlink(missing_ok=True)
        self.journal.owe("delete", str(mark))
        self.journal.owe("stop-stack", self.env["TAILRACE_STATE"], self.env["TAILRACE_PORTS"])
        up(self.paths)
        return made

    def down(self) -> None:
        """Undo all that is open: faults, stack, drive."""
        self.drive = None
        _done, failures = self.journal.settle()
        if failures:
            raise LabError("; ".join(failures))

    @property
    def broker(self) -> psutil.Process:
        """The broker's process. Raises LabError when it is gone."""
        for process in stack_processes(self.paths.state):
            with contextlib.suppress(psutil.Error):
                if "kafka.Kafka" in process.cmdline():
                    return process
        raise LabError(f"the broker is gone; see {self.paths.logs}/kafka.log")

    def loaders(self, run_id: str) -> list[psutil.Process]:
        """The load generators of a run, by worker number."""
        found = {}
        for process in stack_processes(self.paths.state):
            with contextlib.suppress(psutil.Error):
                line = process.cmdline()
                if "run" in line and run_id in line and "--worker" in line:
                    found[int(line[line.index("--worker") + 1].split("/")[0])] = process
        return [found[worker] for worker in sorted(found)]


def _free_ports(count: int) -> list[int]:
    """Below the range of outgoing connections."""
    free = []
    for port in random.sample(range(20000, 32000), 400):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            free.append(port)
        if len(free) == count:
            return free
    raise LabError("no free ports between 20000 and 32000")
