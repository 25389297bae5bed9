# SPDX-License-Identifier: Apache-2.0
"""Programs under measurement: started, asked for their CPU time, and stopped again by their process id."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class BenchError(Exception):
    """The benchmark cannot go on; the text says why and what to look at."""


@dataclass(frozen=True)
class Program:
    """One running program and the file that takes its output."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def cpu_seconds(self) -> float:
        """User and system time so far, of the process and of its children that ended."""
        return cpu_seconds(self.process.pid)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)


def cpu_seconds(pid: int) -> float:
    """The kernel keeps the sum exactly; what it shows is rounded to 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def machine_busy_seconds() -> float:
    """Time that all processors together have worked since boot, whoever they worked for."""
    fields = [int(value) for value in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / _TICKS


def start(
    name: str,
    command: Sequence[str | Path],
    env: Mapping[str, str],
    logs: Path,
    *,
    talks: bool = False,
) -> Program:
    """``talks``: stdin and stdout are pipes, and only stderr goes to the log."""
    log = logs / f"{name}.log"
    with log.open("wb") as output:
        pipe = subprocess.PIPE if talks else None
        process = subprocess.Popen(
            command,
            env=dict(env),
            stdin=pipe or subprocess.DEVNULL,
            stdout=pipe or output,
            stderr=output,
            start_new_session=True,
        )
    return Program(name, process, log)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_ready(program: Program, url: str, timeout_s: float = 60) -> None:
    """Until ``url`` answers 200. Raises BenchError when the program ends first or time is up."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if program.process.poll() is not None:
            raise BenchError(f"{program.name} ended with code {program.process.returncode}; see {program.log}")
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.05)
    raise BenchError(f"{program.name} did not answer at {url} within {timeout_s:.0f} s; see {program.log}")
