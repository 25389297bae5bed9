# SPDX-License-Identifier: Apache-2.0
"""Control groups (v1) that exist for the time of one fault."""

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


def folder(controller: str, pids: Sequence[int], *, at_top: bool = False) -> Path:
    """The folder of the group that ``group`` makes; it exists as long as the group does."""
    return (ROOT / controller if at_top else _own(controller, pids)) / f"tailrace-faults-{os.getpid()}"


@contextmanager
def group(
    journal: Journal, controller: str, limits: dict[str, str], pids: Sequence[int], *, at_top: bool = False
) -> Iterator[Path]:
    """The processes are in a separate group with these limits, and return to theirs afterwards. ``at_top``: the
    group is at the top of the tree, not inside theirs."""
    home = _own(controller, pids)
    made = folder(controller, pids, at_top=at_top)
    with journal.undo_at_end("remove-group", str(made), str(home)):
        made.mkdir(exist_ok=True)
        for file, text in limits.items():
            system.put(made / file, text)
        for pid in pids:
            system.put(made / "cgroup.procs", str(pid))
        yield made


def take_precedence(journal: Journal) -> str:
    """Give this process and its future children CPU before all other programs, so that those hardly affect an
    experiment. Lasts until the journal is undone. Returns why it is impossible, or nothing."""
    if reasons := missing("cpu", "cpu.shares")():
        return reasons[0]
    made = _own("cpu", [os.getpid()]) / f"tailrace-faultlab-{os.getpid()}"
    journal.record("remove-group", str(made), str(made.parent))
    made.mkdir(exist_ok=True)
    system.put(made / "cpu.shares", str(_SHARES))
    system.put(made / "cgroup.procs", str(os.getpid()))
    return ""


@contextmanager
def inside(group_folder: Path) -> Iterator[None]:
    """The calling thread alone is in the group within the block, if there is a group."""
    if not group_folder.exists():
        yield
        return
    me = str(threading.get_native_id())
    system.put(group_folder / "tasks", me)
    try:
        yield
    finally:
        system.put(group_folder.parent / "tasks", me)


def _own(controller: str, pids: Sequence[int]) -> Path:
    """The one group that all the processes are in."""
    found = set()
    for pid in pids:
        lines = (line.split(":", 2) for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines())
        found |= {path for _number, names, path in lines if controller in names.split(",")}
    if len(found) != 1:
        raise Unsupported(f"the processes are not in one {controller} group, so they cannot be returned to it")
    return ROOT / controller / found.pop().lstrip("/")
