# SPDX-License-Identifier: Apache-2.0
"""Carries out one round: a run, its faults, its end, its replay."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable

from lab.chaos import faults, load, plan, promised
from lab.chaos.compare import Death
from lab.chaos.load import Load
from lab.chaos.place import Place, kill, until
from lab.chaos.proxy import FaultProxy

Say = Callable[[str], None]
# Smaller than what a spool leaves free, so a full drive from the first block on.
_SMALL_DISK = "size=64m"


class RoundRun:
    """What becomes of a round. ``happened``: its faults; ``death``: the load generator's, where it was killed."""

    def __init__(self, place: Place, proxy: FaultProxy, planned: plan.Round, seed: int, say: Say) -> None:
        self.place = place
        self.proxy = proxy
        self.planned = planned
        self.seed = seed
        self.run_id = f"chaos-{planned.number}"
        self.say = say
        self.happened: list[str] = []
        self.death: Death | None = None
        self.load: Load | None = None

    def carry_out(self) -> Load:
        """Returns when the run has ended, the stack is healthy again, and nothing more is shipped by this round."""
        before = self.proxy.hits.copy()
        if self.planned.end in plan.ON_SMALL_DISK:
            self._mount_small_disk()
        self.load = made = Load(self.place, self.run_id, self.planned, self.seed)
        made.wait_begun()
        begun = time.monotonic()
        for fault in self.planned.faults:
            self._sleep_until(begun + fault.at)
            if faults.happen(fault, self.place, self.proxy):
                self._count(fault.kind, time.monotonic() - begun)
        self._end(made, begun)
        self.proxy.calm()
        self.place.wait_up()
        self._replay(made)
        for kind, hits in (self.proxy.hits - before).items():
            self.happened += [kind] * hits
        return made

    def stop(self) -> None:
        if self.load is not None:
            self.load.stop()

    def _count(self, kind: str, at: float) -> None:
        self.happened.append(kind)
        self.say(f"    {at:5.1f} s  {kind}")

    @staticmethod
    def _sleep_until(moment: float) -> None:
        time.sleep(max(0.0, moment - time.monotonic()))

    def _end(self, made: Load, begun: float) -> None:
        end = self.planned.end
        killed_micros = None
        if end == plan.DISK_FULL:
            self._sleep_until(begun + self.planned.load_s - 20)
            self.proxy.calm()
            self._count("disk full", time.monotonic() - begun)
        elif end != plan.IN_ORDER:
            self._sleep_until(begun + self.planned.end_at)
            if end == plan.TERMINATED:
                self._terminate_all(made)
                self._count(plan.TERMINATE_ALL, time.monotonic() - begun)
            else:
                if end == plan.DISK_FULL_KILLED:
                    # Blocks are in memory alone; now they are on their way, and some arrive.
                    self.proxy.calm()
                    self._count("disk full", time.monotonic() - begun)
                    until(lambda: self.proxy.passed > 0, "a block passes", 30)
                killed_micros = made.kill()
                self._count(plan.KILL_LOAD_GENERATOR, time.monotonic() - begun)
        made.wait()
        if killed_micros is not None:
            self.death = Death(killed_micros, promised.rows(made.spool), end == plan.DISK_FULL_KILLED)

    def _terminate_all(self, made: Load) -> None:
        """SIGTERM to every process of the stack and to the run at once, in no order; then a new stack."""
        victims = self.place.processes()
        made.process.send_signal(signal.SIGTERM)
        for victim in victims:
            kill(victim, signal.SIGTERM)
        self.proxy.calm()
        made.wait()
        self.place.down()
        self.place.up()

    def _replay(self, made: Load) -> None:
        if self.planned.end == plan.KILLED_THEN_NEXT:
            return
        if self.planned.end == plan.KILLED_SHIP_KILLED:
            load.ship_killed(self.place, made.spool)
            self._count("kill ship", 0)
        for spool in load.unshipped(self.place):
            load.ship(self.place, spool)

    def _mount_small_disk(self) -> None:
        folder = self.place.paths.runs / self.run_id
        folder.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", _SMALL_DISK, "tmpfs", str(folder)], check=True)

    def unmount(self) -> None:
        if self.planned.end in plan.ON_SMALL_DISK:
            subprocess.run(["umount", str(self.place.paths.runs / self.run_id)], check=False)
