# SPDX-License-Identifier: Apache-2.0
"""One round: a run, its faults, its end, its replay."""

import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.chaos import faults, load, plan, promised
from lab.chaos.compare import Death
from lab.chaos.load import Load
from lab.chaos.messages import Allowed
from lab.chaos.stand import ChaosStand, kill
from lab.stand.block_proxy import FaultProxy
from lab.stand.waiting import until

Say = Callable[[str], None]
# Smaller than what a spool leaves free, so the drive is full from the first block on.
_SMALL_DISK = "size=64m"


@dataclass
class RoundRun:
    """One round. ``happened``: its faults; ``death``: the load generator's, if it was killed.

    ``away``: when the broker went, and ``ended``: when the consumers did before the end of their load, µs since 1970.
    """

    stand: ChaosStand
    proxy: FaultProxy
    planned: plan.PlannedRound
    seed: int
    say: Say
    happened: list[str] = field(default_factory=list)
    away: list[int] = field(default_factory=list)
    ended: int | None = None
    death: Death | None = None
    load: Load | None = None

    @property
    def run_id(self) -> str:
        return f"chaos-{self.planned.number}"

    @property
    def allowed(self) -> Allowed:
        """What its faults can cause to messages."""
        return Allowed(tuple(self.away), self.ended)

    def carry_out(self) -> Load:
        """Returns when the run has ended, the stack is healthy again, and nothing more is shipped by this round."""
        before = self.proxy.hits.copy()
        if self.planned.end in plan.ON_SMALL_DISK:
            self._mount_small_disk()
        self.load = made = Load(self.stand, self.run_id, self.planned, self.seed)
        made.wait_phase("warmup", 240)
        begun = time.monotonic()
        for fault in self.planned.faults:
            self._sleep_until(begun + fault.at)
            at = _now_micros()
            if faults.happen(fault, self.stand, self.proxy):
                self._count(fault.kind, time.monotonic() - begun)
                if fault.kind in (plan.KILL_BROKER, plan.RESTART_BROKER):
                    self.away.append(at)
        self._end(made, begun)
        self.proxy.calm()
        self.stand.wait_up()
        self._replay(made)
        for kind, hits in (self.proxy.hits - before).items():
            self.happened += [kind] * hits
        return made

    def stop(self) -> None:
        if self.load is not None:
            self.load.kill()

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
                self.ended = _now_micros()
                self.away.append(self.ended)
                self._terminate_all(made)
                self._count(plan.TERMINATE_ALL, time.monotonic() - begun)
            else:
                if end == plan.DISK_FULL_KILLED:
                    # Blocks are only in memory; now they are sent, and some arrive.
                    self.proxy.calm()
                    self._count("disk full", time.monotonic() - begun)
                    until(lambda: self.proxy.passed > 0, "a block passes", 30)
                self.ended = killed_micros = made.kill_generator()
                self._count(plan.KILL_LOAD_GENERATOR, time.monotonic() - begun)
        made.wait(240)
        if killed_micros is not None:
            self.death = Death(killed_micros, promised.rows(made.spool), end == plan.DISK_FULL_KILLED)

    def _terminate_all(self, made: Load) -> None:
        """SIGTERM to every process of the stack and to the run at once, in no order; then start a new stack."""
        victims = self.stand.processes()
        made.process.send_signal(signal.SIGTERM)
        for victim in victims:
            kill(victim, signal.SIGTERM)
        self.proxy.calm()
        made.wait(240)
        self.stand.stop()
        self.stand.start()

    def _replay(self, made: Load) -> None:
        if self.planned.end == plan.KILLED_THEN_NEXT:
            return
        if self.planned.end == plan.KILLED_SHIP_KILLED:
            load.ship_killed(self.stand, made.spool)
            self._count("kill ship", 0)
        for spool in load.unshipped(self.stand):
            load.ship(self.stand, spool)

    def _mount_small_disk(self) -> None:
        folder = self.stand.paths.runs / self.run_id
        folder.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", _SMALL_DISK, "tmpfs", str(folder)], check=True)

    def unmount(self) -> None:
        if self.planned.end in plan.ON_SMALL_DISK:
            subprocess.run(["umount", str(self.stand.paths.runs / self.run_id)], check=False)


def _now_micros() -> int:
    return time.time_ns() // 1000
