# SPDX-License-Identifier: Apache-2.0
"""Control groups (v1) that exist for the time of one fault."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.faults import system
from lab.faults.errors import Unsupported
from lab.faults.journal import Journal

ROOT = Path("/sys/fs/cgroup")
# Sixteen times the default; with more, kernel threads would wait for the lab too.
_SHARES = 16_384


def missing(controller: str, file: str) -> Callable[[], list[str]]:
    """Whether the kernel has that controller with that file, in version 1."""

    def check() -> list[str]:
        return [] if (ROOT / controller / file).exists() else [f"the kernel has no {file} (cgroup v1 {controller})"]

    return check


@contextmanager
def group(
    journal: Journal, controller: str, limits: dict[str, str], pids: Sequence[int], *, at_top: bool = False
) -> Iterator[Path]:
    """The processes are in a separate group with these limits, and back in theirs afterwards. ``at_top``: the
    group is at the top of the tree, not inside theirs."""
    if len({_own(controller, pid) for pid in pids}) != 1:
        raise Unsupported(f"the processes are not in one {controller} group, so they cannot be returned to it")
    home = _own(controller, pids[0])
    folder = (ROOT / controller if at_top else home) / f"tailrace-faults-{os.getpid()}"
    with journal.undo_at_end("remove-group", str(folder), str(home)):
        folder.mkdir(exist_ok=True)
        for file, text in limits.items():
            system.put(folder / file, text)
        for pid in pids:
            system.put(folder / "cgroup.procs", str(pid))
        yield folder


def take_precedence(journal: Journal) -> str:
    """Give this process and its future children CPU before all other programs, so that those hardly affect an
    experiment. Lasts until the journal is undone. Returns why it is impossible, or nothing."""
    if reasons := missing("cpu", "cpu.shares")():
        return reasons[0]
    folder = _own("cpu", os.getpid()) / f"tailrace-faultlab-{os.getpid()}"
    journal.record("remove-group", str(folder), str(folder.parent))
    folder.mkdir(exist_ok=True)
    system.put(folder / "cpu.shares", str(_SHARES))
    system.put(folder / "cgroup.procs", str(os.getpid()))
    return ""


@contextmanager
def inside(folder: Path | None) -> Iterator[None]:
    """The calling thread, and nothing else of this process, is in the group meanwhile."""
    if folder is None:
        yield
        return
    me = str(threading.get_native_id())
    system.put(folder / "tasks", me)
    try:
        yield
    finally:
        system.put(folder.parent / "tasks", me)


def _own(controller: str, pid: int) -> Path:
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _number, names, path = line.split(":", 2)
        if controller in names.split(","):
            return ROOT / controller / path.lstrip("/")
    raise Unsupported(f"no {controller} controller")
