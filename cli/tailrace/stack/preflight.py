# SPDX-License-Identifier: Apache-2.0
"""Checks before the stack starts. Standard library only, for `make doctor`."""

from __future__ import annotations

import shutil

from tailrace.errors import BadInput
from tailrace.stack.paths import MORE_PORT_NAMES, SET_UP, StackPaths
from tailrace.stack.portowner import busy_ports
from tailrace.stack.ttls import ttl_problems, ttls_file

MIN_FREE_BYTES = 2 * 1024**3

_PROGRAMS = (
    *("process-compose", "node_exporter", "tailrace-ioprobe", "tailrace-procprobe", "victoria-metrics", "vmalert"),
    *("tailrace-warehouse", "tailrace-migrate", "tailrace-collector"),
)
_BUILT = (
    *(f"bin/{name}" for name in _PROGRAMS),
    *("lib/libchdb.so", "kafka/libs", "kafka/jmx_prometheus_javaagent.jar"),
)


def check_all(paths: StackPaths) -> None:
    """Raise BadInput for the first kind of problem: set-up, settings, disk, ports (all that are in use)."""
    problems = missing_parts(paths) or ttl_problems(ttls_file()) or disk_problems(paths) or _missing_ports(paths)
    problems = problems or port_problems(paths)
    if problems:
        raise BadInput("\n".join(problems))


def missing_parts(paths: StackPaths) -> list[str]:
    """One line naming what set-up has not built yet, or nothing."""
    missing = [part for part in _BUILT if not (paths.home / part).exists()]
    return [f"{paths.home}: {', '.join(missing)} missing; {SET_UP}"] if missing else []


def free_bytes(paths: StackPaths) -> int:
    """Free bytes on the state folder's drive, also before the folder exists."""
    folder = paths.state
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def disk_problems(paths: StackPaths) -> list[str]:
    """One line when the drive of the state folder has under 2 GiB free."""
    free = free_bytes(paths)
    if free >= MIN_FREE_BYTES:
        return []
    return [
        f"{paths.state}: {free / 1024**3:.1f} GiB free, at least 2 GiB needed; "
        "free some or set TAILRACE_STATE to a folder on another drive"
    ]


def _missing_ports(paths: StackPaths) -> list[str]:
    """One line naming the ports of further brokers that the ports file does not have."""
    missing = [name for name in MORE_PORT_NAMES if name not in paths.ports] if paths.brokers > 1 else []
    if not missing:
        return []
    return [f"{paths.ports_file}: {', '.join(missing)} missing for brokers 2 and 3; add a line NAME=number for each"]


def port_problems(paths: StackPaths) -> list[str]:
    """One line per port of the stack that another program uses."""
    mark = f"TAILRACE_STACK={paths.state}".encode()
    return [
        busy.line(paths.ports_file)
        for busy in busy_ports(paths.used_ports)
        if busy.pid is None or mark not in _environment(busy.pid)
    ]


def _environment(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []
