# SPDX-License-Identifier: Apache-2.0
"""Which ports are in use, and by which process. Standard library only: `make doctor` runs before set-up."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_LISTEN = "0A"


@dataclass(frozen=True)
class BusyPort:
    """A port of the stack that is in use. ``pid`` is None when this user may not see the process."""

    name: str
    port: int
    pid: int | None

    def line(self, ports_file: Path) -> str:
        """One line: the port, its name, its owner, the remedy."""
        if self.pid is None:
            owner = f"a process this user may not see (as root: ss -ltnp 'sport = :{self.port}')"
        else:
            owner = f"process {self.pid} ({_command_line(self.pid)})"
        return (
            f"port {self.port} ({self.name} in {ports_file}) is in use by {owner}; "
            "stop that process or give the stack another port"
        )


def busy_ports(ports: Mapping[str, int]) -> list[BusyPort]:
    """The ports that cannot be bound on 127.0.0.1 now, in the given order."""
    return [BusyPort(name, port, holder(port)) for name, port in ports.items() if not is_free(port)]


def is_free(port: int) -> bool:
    """True when a server could listen on 127.0.0.1:port. Closed connections in TIME_WAIT do not count."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
            server.listen(1)
        except OSError:
            return False
    return True


def holder(port: int) -> int | None:
    """Id of the process that listens on ``port``; None when there is none or this user may not see it."""
    sockets = _listening_sockets(port)
    for pid in sorted(int(entry) for entry in os.listdir("/proc") if entry.isdigit()):
        if sockets & _sockets_of(pid):
            return pid
    return None


def _listening_sockets(port: int) -> set[str]:
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            rows = Path(table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            fields = row.split()
            if fields[3] == _LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(f"socket:[{fields[9]}]")
    return found


def _sockets_of(pid: int) -> set[str]:
    links = set()
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            links.add(os.readlink(entry.path))
    except OSError:
        pass  # gone meanwhile, or another user's
    return links


def _command_line(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "gone meanwhile"
    line = " ".join(word.decode(errors="replace") for word in words).strip()
    return line if len(line) <= 80 else line[:77] + "..."
