# SPDX-License-Identifier: Apache-2.0
"""Strikes what a fault names: brokers, their connections, and the run's load generators.

Each function returns what it struck, in words, or "" when no target was up. It undoes what it did before it returns.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil

from tailrace.certify import faults
from tailrace.certify.cluster import Address, Cluster
from tailrace.certify.faults import PlannedFault
from tailrace.runs.spools import FOLDER
from tailrace.runs.workers import Workers
from tailrace.stack import brokers

# Sleeps so many seconds, or until the run has ended.
Wait = Callable[[float], None]
# Whether the command was interrupted: then no answer is waited for.
Interrupted = Callable[[], bool]
Target = TypeVar("Target")


@dataclass(frozen=True)
class Targets:
    """``victims``: the numbers of the workers that only consume."""

    cluster: Cluster
    addresses: Sequence[Address]
    topics: Sequence[str]
    folder: Path
    workers: Workers
    victims: Sequence[int]

    def strike(self, fault: PlannedFault, wait: Wait, interrupted: Interrupted = lambda: False) -> str:
        strikes: dict[str, Callable[[], str]] = {
            faults.BROKER_KILL: lambda: self._kill_broker(fault, wait, interrupted),
            faults.BROKER_PAUSE: lambda: self._pause_broker(fault, wait),
            faults.LEADER_MOVE: lambda: self._move_leaders(interrupted),
            faults.CONNECTION_CUT: lambda: self._cut(fault),
            faults.CLIENT_KILL: lambda: self._kill_client(fault),
            faults.CLIENT_PAUSE: lambda: self._pause_client(fault, wait),
        }
        return strikes[fault.kind]()

    def not_possible(self, kind: str) -> str:
        """Why faults of this kind cannot be made from here; empty when they can."""
        if kind in (faults.BROKER_KILL, faults.BROKER_PAUSE) and not self.cluster.ours:
            return "the brokers are not the stack's own"
        if kind in (faults.CLIENT_KILL, faults.CLIENT_PAUSE) and not self.victims:
            return "no worker of the run only consumes"
        if kind == faults.LEADER_MOVE and len(self.addresses) < 2:
            return "the cluster has one broker"
        return cannot_cut() if kind == faults.CONNECTION_CUT else ""

    def _kill_broker(self, fault: PlannedFault, wait: Wait, interrupted: Interrupted) -> str:
        paths = self.cluster.paths
        number = _pick([n for n in paths.broker_ids if brokers.state_of(paths, n).pid], fault)
        if number is None:
            return ""
        began = time.monotonic()
        try:
            brokers.kill(paths, number)
            wait(fault.seconds)
        finally:
            brokers.start(paths, number, interrupted)
        back = "started again" if interrupted() else "answering again"
        return f"broker {number} killed, {back} after {time.monotonic() - began:.1f} s"

    def _pause_broker(self, fault: PlannedFault, wait: Wait) -> str:
        paths = self.cluster.paths
        running = {n: brokers.state_of(paths, n).pid for n in paths.broker_ids}
        number = _pick([n for n, pid in running.items() if pid], fault)
        if number is None or not _paused(running[number], fault.seconds, wait):
            return ""
        return f"broker {number} paused for {fault.seconds:.1f} s"

    def _move_leaders(self, interrupted: Interrupted) -> str:
        moved = self.cluster.move_leaders(self.topics, interrupted)
        return f"{moved} partition leaders moved" if moved else ""

    def _cut(self, fault: PlannedFault) -> str:
        address = _pick(self.addresses, fault)
        if address is None:
            return ""
        cut = sum(cut_connections(found, address.port) for found in _ip_addresses(address.host))
        return f"{cut} connections to broker {address.broker} cut" if cut else ""

    def _kill_client(self, fault: PlannedFault) -> str:
        worker, process = self._client(fault)
        if process is None:
            return ""
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
            return f"load generator {worker} killed"
        return ""

    def _pause_client(self, fault: PlannedFault, wait: Wait) -> str:
        worker, process = self._client(fault)
        if process is None or not _paused(process.pid, fault.seconds, wait):
            return ""
        return f"load generator {worker} paused for {fault.seconds:.1f} s"

    def _client(self, fault: PlannedFault) -> tuple[int, psutil.Process | None]:
        running: dict[int, psutil.Process] = {}
        spools = {str(self.workers.file(self.folder, FOLDER, worker)): worker for worker in self.victims}
        for process in psutil.process_iter(["cmdline"]):
            words = process.info["cmdline"] or []
            named = [word for word in words if word in spools]
            if named and "-jar" in words:
                running[spools[named[0]]] = process
        worker = _pick(sorted(running), fault)
        return (-1, None) if worker is None else (worker, running[worker])


def cut_connections(ip: str, port: int) -> int:
    """Cut all connections of this host to that address; how many the kernel closed."""
    command = ["ss", "--kill", "--tcp", "--numeric", "--no-header", "dst", ip, "dport", "=", f":{port}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return len(done.stdout.splitlines()) if done.returncode == 0 else 0


def cannot_cut() -> str:
    """Why connections cannot be cut here; found by cutting one of this process."""
    if shutil.which("ss") is None:
        return "the program ss (iproute2) is missing"
    if os.geteuid():
        return "only root cuts connections"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = int(server.getsockname()[1])
        with socket.create_connection(("127.0.0.1", port)), server.accept()[0]:
            return "" if cut_connections("127.0.0.1", port) else "the kernel does not let ss close connections"


def _paused(pid: int, seconds: float, wait: Wait) -> bool:
    """Stop the process for these seconds; False when it had ended."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    try:
        wait(seconds)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    return True


def _ip_addresses(host: str) -> list[str]:
    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})
    except OSError:
        return []


def _pick(among: Sequence[Target], fault: PlannedFault) -> Target | None:
    return among[min(len(among) - 1, int(fault.target * len(among)))] if among else None
