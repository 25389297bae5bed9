# SPDX-License-Identifier: Apache-2.0
"""A drive's fingerprint: how long writes of 4 KiB take with and without O_DSYNC, in a second."""

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

BLOCK = 4096
# Written again and again, so that the file neither grows nor fills the page cache.
REGION = 4 << 20
SECONDS = 0.5


@dataclass(frozen=True)
class Writes:
    """Times of writes, µs."""

    count: int
    p50_us: float
    p99_us: float


@dataclass(frozen=True)
class Fingerprint:
    """``synced``: with O_DSYNC, each write returns when the drive has it; ``buffered``: into the page cache."""

    buffered: Writes
    synced: Writes


def fingerprint(folder: Path, seconds: float = SECONDS) -> Fingerprint:
    """Write in this folder for ``seconds`` of each kind. The file has no name while it is written. Raises OSError."""
    file, name = tempfile.mkstemp(prefix=".tailrace-fitness-", dir=folder)
    try:
        synced = os.open(name, os.O_WRONLY | os.O_DSYNC)
    finally:
        os.unlink(name)
    try:
        for at in range(0, REGION, 1 << 20):
            os.pwrite(file, bytes(1 << 20), at)
        os.fsync(file)
        return Fingerprint(_writes(file, seconds), _writes(synced, seconds))
    finally:
        os.close(synced)
        os.close(file)


def _writes(file: int, seconds: float) -> Writes:
    block = os.urandom(BLOCK)
    took: list[int] = []
    at, now = 0, time.perf_counter_ns()
    end = now + int(seconds * 1e9)
    while now < end or not took:
        os.pwrite(file, block, at)
        at = (at + BLOCK) % REGION
        done = time.perf_counter_ns()
        took.append(done - now)
        now = done
    took.sort()
    return Writes(len(took), _rank(took, 0.5), _rank(took, 0.99))


def _rank(ordered: list[int], share: float) -> float:
    """Nearest rank, µs."""
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)] / 1000
