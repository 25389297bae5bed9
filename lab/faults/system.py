# SPDX-License-Identifier: Apache-2.0
"""Commands of the system, control files, processes and their start times."""

import contextlib
import shutil
import subprocess
from pathlib import Path

import psutil

from lab.stand.errors import StandError


def run(*command: str, timeout_s: float = 60) -> str:
    """What the command printed. Raises StandError with its last line when it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)
    except (OSError, subprocess.TimeoutExpired) as err:
        raise StandError(f"{' '.join(command)}: {err}") from err
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines() or [f"exit code {done.returncode}"]
        raise StandError(f"{' '.join(command)}: {lines[-1]}")
    return done.stdout.strip()


def has(*programs: str) -> list[str]:
    """Which of the programs are not installed."""
    return [program for program in programs if shutil.which(program) is None]


def put(file: Path, text: str) -> None:
    """Write a control file of the kernel. Raises StandError naming it."""
    try:
        file.write_text(text, encoding="ascii")
    except OSError as err:
        raise StandError(f"{file}: cannot write '{text}': {err.strerror}") from err


def started(pid: int) -> float:
    """Start time of a process, which differs for a later process of the same number; 0 when it has ended."""
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return 0.0


def is_same(pid: int, start: float) -> bool:
    """Whether that process still runs."""
    return start > 0 and abs(started(pid) - start) < 0.02


def reap(process: subprocess.Popen[bytes]) -> None:
    """End a child and take its exit code, so that none is left as a zombie."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
