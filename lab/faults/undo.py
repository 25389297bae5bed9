# SPDX-License-Identifier: Apache-2.0
"""How to undo each change that the lab makes to the machine. Everything here may run twice."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from lab.faults.system import is_same, put, run
from lab.stand.errors import StandError
from lab.stand.waiting import until
from tailrace.api import StackPaths, down

# A drive that was slow a moment ago still has a queue.
_PATIENCE_S = 30.0


def kill(pid: str, start: str) -> None:
    """End a process that the lab started, with its whole session."""
    if is_same(int(pid), float(start)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(int(pid), signal.SIGKILL)


def wake(pid: str, start: str) -> None:
    """Continue a process that was stopped."""
    if is_same(int(pid), float(start)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGCONT)


def unmount(folder: str) -> None:
    _repeat(lambda: not os.path.ismount(folder), "umount", folder)


def detach(device: str, backing: str) -> None:
    """Detach a loop device if it still holds that file."""
    _repeat(lambda: _backing(device) != backing, "losetup", "--detach", device)


def thaw(folder: str) -> None:
    """Thaw; a failure means that nothing is frozen."""
    subprocess.run(["fsfreeze", "--unfreeze", folder], check=False, capture_output=True, timeout=60)


def keep_deleted(folder: str) -> None:
    """Stop discarding deleted blocks there."""
    if os.path.ismount(folder):
        run("mount", "-o", "remount,nodiscard", folder)


def set_file(file: str, text: str) -> None:
    """Restore a control file; nothing is left to do if its control group or device is gone."""
    if Path(file).exists():
        put(Path(file), text)


def remove_group(folder: str, home: str) -> None:
    """Remove a control group (v1) after its processes are back in theirs."""
    group = Path(folder)

    def gone() -> bool:
        with contextlib.suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                with contextlib.suppress(OSError):
                    (Path(home) / "cgroup.procs").write_text(pid)
            group.rmdir()
        return not group.exists()

    until(gone, f"remove the control group {folder}", _PATIENCE_S)


def affinity(pid: str, start: str, cpus: str) -> None:
    """Return all threads of a process to their cores."""
    if is_same(int(pid), float(start)):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                os.sched_setaffinity(int(thread.name), {int(cpu) for cpu in cpus.split(",")})


def delete(path: str) -> None:
    if Path(path).is_dir():
        shutil.rmtree(path)
    else:
        Path(path).unlink(missing_ok=True)


def stop_stack(state: str, ports: str) -> None:
    down(StackPaths.load({"TAILRACE_STATE": state, "TAILRACE_PORTS": ports}))


_FUNCTIONS = (kill, wake, unmount, detach, thaw, keep_deleted, remove_group, affinity, delete, stop_stack)
VERBS: dict[str, Callable[..., None]] = {each.__name__.replace("_", "-"): each for each in _FUNCTIONS}
VERBS["set"] = set_file


def _backing(device: str) -> str:
    file = Path("/sys/block") / Path(device).name / "loop" / "backing_file"
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def _repeat(done: Callable[[], bool], *command: str) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not done():
        failure = StandError(" ".join(command))
        try:
            run(*command)
        except StandError as err:
            failure = err
        if done():
            return
        if time.monotonic() > deadline:
            raise failure
        time.sleep(0.2)
