# SPDX-License-Identifier: Apache-2.0
"""Reads a host's CPU time at rest, its clock source and its CPU governors."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

SYS = Path("/sys/devices/system")
# Fields of /proc/stat's first line; guest time is part of user's and nice's.
_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True)
class Rest:
    """Shares of all cores' time, and the cores that this process may use."""

    busy: float
    steal: float
    usable_cores: int

    @property
    def idle_cores(self) -> float:
        """Cores that a load generator finds free."""
        return self.usable_cores * (1 - self.busy)


def rest(seconds: float) -> Rest:
    """Measure for this long; nothing else should run meanwhile."""
    before = _cpu()
    time.sleep(seconds)
    return between(before, _cpu(), len(os.sched_getaffinity(0)))


def between(before: dict[str, int], after: dict[str, int], usable_cores: int) -> Rest:
    """The shares between two readings. Stolen time counts as busy: no program of this host can have it."""
    spent = {name: after[name] - before[name] for name in _FIELDS}
    total = sum(spent.values()) or 1
    return Rest(1 - (spent["idle"] + spent["iowait"]) / total, spent["steal"] / total, usable_cores)


def _cpu() -> dict[str, int]:
    with open("/proc/stat", encoding="ascii") as file:
        return parse(file.readline())


def parse(line: str) -> dict[str, int]:
    """The line ``cpu …`` of /proc/stat, in clock ticks."""
    return dict(zip(_FIELDS, map(int, line.split()[1 : len(_FIELDS) + 1]), strict=True))


def clock_source(sys: Path = SYS) -> str:
    """The kernel's clock source; empty where it is not visible."""
    try:
        return (sys / "clocksource/clocksource0/current_clocksource").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def governors(sys: Path = SYS) -> list[str]:
    """The CPU governors in use, each once; empty where they are not visible, as in most virtual machines."""
    found = set()
    for file in sys.glob("cpu/cpu[0-9]*/cpufreq/scaling_governor"):
        try:
            found.add(file.read_text(encoding="ascii").strip())
        except OSError:
            continue
    return sorted(found)
