# SPDX-License-Identifier: Apache-2.0
"""The broker is short of CPU."""

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lab.faults import cgroups
from lab.faults.fault import Fault, Kind, Scene, higher, levels
from lab.faults.kinds.neighbours import running
from lab.faults.system import has, started

_PERIOD_US = 100_000
# Children of one shell, so that they end with its session.
_LOOPS = "for _ in $(seq {}); do while :; do :; done & done; wait"


def waiting(pid: int, over_s: float = 1.0) -> float:
    """Seconds per second that its threads, together, were ready and had no core."""

    def total() -> int:
        waited = 0
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                waited += int((thread / "schedstat").read_text().split()[1])
        return waited

    before = total()
    time.sleep(over_s)
    return (total() - before) / 1e9 / over_s


def hogged(scene: Scene, pid: int, hogs: int) -> Fault:
    """The process has one core, and shares it with that many busy loops: all in a group that is no more than any other,
    else the kernel's own threads, and so the drive, would be short of that core too."""

    @contextmanager
    def inject() -> Iterator[None]:
        cores = sorted(os.sched_getaffinity(pid))
        core = cores[-1]
        with ExitStack() as stack:
            undo = ("affinity", str(pid), str(started(pid)), ",".join(map(str, cores)))
            stack.enter_context(scene.journal.undo_at_end(*undo))
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread.name), {core})
            group = stack.enter_context(cgroups.group(scene.journal, "cpu", {}, [pid], at_top=True))
            loops = f"echo $$ >{group}/cgroup.procs; {_LOOPS.format(hogs)}"
            command = ["taskset", "--cpu-list", str(core), "sh", "-c", loops]
            stack.enter_context(running(scene.journal, command))
            yield

    return Fault(lambda: waiting(pid), "s/s ready without a core", higher(0.15), inject)


def limited(scene: Scene, pids: list[int], share: float) -> Fault:
    """The processes get that share of one core. It took effect if the kernel held them back a tenth of the time."""
    folder = cgroups.folder("cpu", pids)
    limits = {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": f"{share * _PERIOD_US:.0f}"}

    def held_back() -> float:
        if not folder.exists():
            return 0.0

        def total() -> int:
            lines = (folder / "cpu.stat").read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("throttled_time"))

        before = total()
        time.sleep(1)
        return (total() - before) / 1e9

    return Fault(
        held_back,
        "s/s held back by the quota",
        lambda _before, during: during >= 0.1,
        lambda: cgroups.group(scene.journal, "cpu", limits, pids),
    )


def _missing_hog() -> list[str]:
    return [f"{p} is not installed" for p in has("taskset")] + cgroups.missing("cpu", "cpu.shares")()


QUOTA_MISSING = cgroups.missing("cpu", "cpu.cfs_quota_us")
KINDS = (
    Kind(
        "cpu_hog",
        "cpu_starvation",
        levels(hogs=(16, 6)),
        lambda scene, strength: hogged(scene, scene.broker.pid, int(strength["hogs"])),
        missing=_missing_hog,
    ),
    Kind(
        "cpu_quota",
        "cpu_starvation",
        levels(share=(0.05, 0.1)),
        lambda scene, strength: limited(scene, [scene.broker.pid], strength["share"]),
        missing=QUOTA_MISSING,
    ),
)
