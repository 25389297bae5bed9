# SPDX-License-Identifier: Apache-2.0
"""The broker pauses."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from faultlab.fault import STRONG, WEAK, Fault, Kind, Scene, Strength, nothing_lacks
from faultlab.journal import Journal
from faultlab.system import until


def stopped(processes: list[psutil.Process], journal: Journal) -> Fault:
    """SIGSTOP for all of them, SIGCONT at the end."""

    def share() -> float:
        return sum(process.status() == psutil.STATUS_STOPPED for process in processes) / len(processes)

    @contextmanager
    def inject() -> Iterator[None]:
        debts = [journal.owe("wake", str(p.pid), str(p.create_time())) for p in processes]
        try:
            for process in processes:
                os.kill(process.pid, signal.SIGSTOP)
            until(lambda: share() == 1, "the processes stop", 10)
            yield
        finally:
            for debt in debts:
                journal.pay(debt)

    return Fault(share, "share of its processes that are stopped", lambda before, during: during == 1 > before, inject)


def _stop(scene: Scene, _strength: Strength) -> Fault:
    return stopped([scene.broker], scene.journal)


KINDS = (Kind("broker_stop", "broker_pause", {STRONG: {"seconds": 5}, WEAK: {"seconds": 1.5}}, _stop, nothing_lacks),)
