# SPDX-License-Identifier: Apache-2.0
"""Waits until the machine is quiet enough to distinguish a fault from noise; refuses after a while, with the reason."""

import math
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

from lab.faults import signature
from lab.faults.drive import Drive
from lab.faults.errors import Refused
from tailrace.api import StackPaths

LOOK_S = 3.0
STAGES = ("publish p99", "end-to-end p99")
_BASELINE_S = 5


# The most that counts as quiet. ``steal``: share of all cores. ``late_ms``: p99 of how late a process of the lab ends
# a millisecond of work. The machine's drive carries the warehouse, whose writes delay no message, so it may be fairly
# slow. ``p99_ms``: of the load, over 5 s. During a run, means of 3 s in a row: ``steal_during``, and ``late_during_ms``
# of each second's latest sleep, which is how long the slowest message of that second waited too. A quiet run with more
# was not quiet, and an episode in it is no false alarm.
Limits = Mapping[str, float]
QUIET: Limits = {
    "steal": 0.05,
    "late_ms": 15,
    "state_sync_ms": 60,
    "drive_sync_ms": 3,
    "p99_ms": 60,
    "steal_during": 0.15,
    "late_during_ms": 40,
}
# For trying the lab on a machine that other programs use.
ANY: Limits = {**dict.fromkeys(QUIET, math.inf), "p99_ms": 2000}


def machine(paths: StackPaths, drive: Drive) -> dict[str, float]:
    """Steal, scheduling delay, and write latency of both drives; takes three seconds."""
    psutil.cpu_times_percent()
    late = _late_ms()
    cpu = psutil.cpu_times_percent()
    return {
        "steal": getattr(cpu, "steal", 0.0) / 100,
        "late_ms": late,
        "state_sync_ms": _sync_ms(paths.state / ".probe"),
        "drive_sync_ms": drive.sync_ms(),
    }


def above(noise: Mapping[str, float], limits: Limits) -> str:
    """The measure that is not quiet, or nothing."""
    return ", ".join(
        f"{name} {value:.2f} over {limits[name]:g}" for name, value in noise.items() if value > limits[name]
    )


def wait_quiet(
    paths: StackPaths, drive: Drive, limits: Limits, patience_s: float, say: Callable[[str], None]
) -> dict[str, float]:
    """Returns what was measured once it is quiet. Raises Refused."""
    deadline = time.monotonic() + patience_s
    announced = False
    while loud := above(noise := machine(paths, drive), limits):
        if time.monotonic() > deadline:
            raise Refused(f"the machine is not quiet: {loud}")
        if not announced:
            say(f"  waiting for a quiet machine: {loud}")
            announced = True
    return noise


def wait_baseline(url: str, run_id: str, most_ms: float, patience_s: float) -> None:
    """Wait until p99 of the last five seconds is at the level without a fault. Raises Refused."""
    deadline = time.monotonic() + patience_s
    while True:
        found = {stage: signature.value(url, stage, run_id, "", _BASELINE_S) for stage in STAGES}
        loud = [stage for stage, p99 in found.items() if p99 is None or p99 > most_ms]
        if not loud:
            return
        if time.monotonic() > deadline:
            figures = ", ".join(f"{stage} {found[stage]} ms over {most_ms:.0f}" for stage in loud)
            raise Refused(f"the baseline is not quiet: {figures}")
        time.sleep(0.5)


def _late_ms() -> float:
    late = []
    until = time.monotonic() + LOOK_S
    while (began := time.monotonic()) < until:
        time.sleep(0.01)
        while time.monotonic() - began < 0.011:
            pass
        late.append(time.monotonic() - began - 0.011)
    return sorted(late)[len(late) * 99 // 100] * 1000


def _sync_ms(file: Path, times: int = 5) -> float:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        began = time.monotonic()
        for _ in range(times):
            os.pwrite(handle, b"." * 4096, 0)
            os.fdatasync(handle)
        return (time.monotonic() - began) / times * 1000
    finally:
        os.close(handle)
