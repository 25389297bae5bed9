# SPDX-License-Identifier: Apache-2.0
"""Programs that are started, waited for, and stopped by their process id."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lab.stand.errors import StandError

START_S = 60.0
STOP_S = 30.0
_TICKS = os.sysconf("SC_CLK_TCK")


def built(path: Path, remedy: str = "run make setup") -> Path:
    """The path of a program that set-up builds. Raises StandError where it is missing."""
    if not path.exists():
        raise StandError(f"{path} missing; {remedy}")
    return path


@dataclass(frozen=True)
class Program:
    """One running program and the file that takes its output."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    @classmethod
    def start(
        cls,
        name: str,
        command: Sequence[str | Path],
        logs: Path,
        env: Mapping[str, str] | None = None,
        *,
        pipes: bool = False,
    ) -> Self:
        """Start it with its output in ``logs/name.log``; with ``pipes`` stdin and stdout are pipes."""
        logs.mkdir(parents=True, exist_ok=True)
        log = logs / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                env=env,
                stdin=subprocess.PIPE if pipes else subprocess.DEVNULL,
                stdout=subprocess.PIPE if pipes else output,
                stderr=output,
                start_new_session=True,
            )
        return cls(name, process, log)

    def stop(self) -> None:
        """Terminate it, and kill it where that takes too long."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def wait_ready(self, url: str, timeout_s: float = START_S) -> None:
        """Return once ``url`` answers 200. Raises StandError when the program ends first or time is up."""
        self.wait_until(lambda: _answers(url), f"answer at {url}", timeout_s)

    def wait_until(self, check: Callable[[], bool], what: str, timeout_s: float = START_S) -> None:
        """Return once the check is true; ``what`` is what the program does then."""
        deadline = time.monotonic() + timeout_s
        while not check():
            if self.process.poll() is not None:
                raise StandError(f"{self.name} ended with code {self.process.returncode}", self.log)
            if time.monotonic() > deadline:
                raise StandError(f"{self.name} did not {what} within {timeout_s:.0f} s", self.log)
            time.sleep(0.05)

    def write_line(self, line: str) -> None:
        """To its stdin, which is a pipe."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def read_line(self) -> str:
        """From its stdout, which is a pipe. Raises StandError when the program has ended."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode().strip()
        if not line:
            raise StandError(f"{self.name} ended", self.log)
        return line

    def cpu_seconds(self) -> float:
        """User and system time so far, of the process and of its children that ended."""
        return cpu_seconds(self.process.pid)


def cpu_seconds(pid: int) -> float:
    """The kernel keeps the sum exactly; what it shows is rounded to 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
