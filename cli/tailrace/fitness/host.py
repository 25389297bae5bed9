# SPDX-License-Identifier: Apache-2.0
"""Reads a host's CPU time at rest, its CPU quota, its clock source and its CPU governors."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from tailrace.errors import BadInput

STAT, CGROUPS, OWN_CGROUPS = Path("/proc/stat"), Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
SYS = Path("/sys/devices/system")
# Fields of /proc/stat's first line; guest time is part of user's and nice's.
_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


@dataclass(frozen=True)
class Rest:
    """Shares of all cores' time, and the cores' worth of time that this process may use. ``cores``: on how many cores
    it may run, where its CPU quota is less."""

    busy: float
    steal: float
    usable_cores: float
    cores: int = 0

    @property
    def idle_cores(self) -> float:
        """Cores that a load generator finds free."""
        return min(self.usable_cores, (self.cores or self.usable_cores) * (1 - self.busy))


def rest(seconds: float) -> Rest:
    """Measure for this long; nothing else should run meanwhile. Raises BadInput where CPU time cannot be read."""
    before = cpu()
    time.sleep(seconds)
    return between(before, cpu(), len(os.sched_getaffinity(0)), quota())


def between(before: dict[str, int], after: dict[str, int], cores: int, quota: float | None = None) -> Rest:
    """The shares between two readings. Stolen time counts as busy: no program of this host can have it."""
    spent = {name: after[name] - before[name] for name in _FIELDS}
    total = sum(spent.values()) or 1
    return Rest(1 - (spent["idle"] + spent["iowait"]) / total, spent["steal"] / total, *_usable(cores, quota))


def _usable(cores: int, quota: float | None) -> tuple[float, int]:
    return (cores, 0) if quota is None or quota >= cores else (quota, cores)


def cpu(stat: Path = STAT) -> dict[str, int]:
    """CPU time since boot, in clock ticks. Raises BadInput where it cannot be read."""
    try:
        return parse(stat.read_text(encoding="ascii").partition("\n")[0])
    except (OSError, ValueError) as err:
        why = err.strerror if isinstance(err, OSError) else "it has no line of all CPUs' times"
        remedy = "mount /proc, or leave the check out with --no-fitness"
        raise BadInput(f"{stat}: {why}: the CPU time of this host cannot be read; {remedy}") from err


def quota(cgroups: Path = CGROUPS, own: Path = OWN_CGROUPS) -> float | None:
    """The cores' worth of CPU time that this process's control groups allow, as a container's limit sets it; None for
    no limit."""
    try:
        groups = [line.split(":", 2)[1:] for line in own.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return None
    found: list[float] = []
    for controllers, name in groups:
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = cgroups / "cpu" if controllers else cgroups
        group = top / name.strip("/")
        # A group is limited by those above it, too. In a container the name may be one that is not visible.
        for each in (group, *group.parents):
            found += _limit(each)
            if each == top:
                break
    return min(found, default=None)


def _limit(group: Path) -> list[float]:
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            allowed, period = " ".join((group / name).read_text(encoding="ascii") for name in names).split()
        except (OSError, ValueError):
            continue
        return [int(allowed) / int(period)] if allowed not in ("max", "-1") else []
    return []


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
