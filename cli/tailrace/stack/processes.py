# SPDX-License-Identifier: Apache-2.0
"""The stack's processes as the kernel lists them, independent of the supervisor."""

from pathlib import Path

import psutil

# The supervisor starts with this variable set to the state folder, and every child inherits it. The mark survives a
# lost pid file, a dead supervisor and a moved socket.
MARK = "TAILRACE_STACK"


def stack_processes(state: Path) -> list[psutil.Process]:
    """Every live process of the stack in ``state``, the supervisor included."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == str(state) and _is_alive(process):
                found.append(process)
        except psutil.Error:
            continue  # it ended meanwhile, or it is another user's process
    return found


def supervisor_of(state: Path) -> psutil.Process | None:
    """The stack's process-compose, when it runs."""
    for process in stack_processes(state):
        try:
            if process.name() == "process-compose":
                return process
        except psutil.NoSuchProcess:
            continue
    return None


def kill(processes: list[psutil.Process]) -> list[str]:
    """Kill these processes; one line of text per process that was still running."""
    lines = []
    for process in processes:
        try:
            line = f"killed {process.name()}, process {process.pid}, which had not stopped"
            process.kill()
        except psutil.NoSuchProcess:
            continue
        lines.append(line)
    psutil.wait_procs(processes, timeout=5)
    return lines


def usage(pid: int) -> tuple[str, str, str]:
    """Process id, resident memory now, and its peak, for people."""
    try:
        resident = psutil.Process(pid).memory_info().rss if pid else 0
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            peak = next((int(line.split()[1]) for line in file if line.startswith("VmHWM")), 0)
    except (OSError, psutil.Error):
        return "-", "-", "-"
    return str(pid), f"{resident / 2**20:.0f} MiB", f"{peak / 2**10:.0f} MiB"


def _is_alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
