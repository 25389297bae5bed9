# SPDX-License-Identifier: Apache-2.0
"""How fast the drive under the broker's log can write by itself, measured before a broker does."""

import json
import mmap
import os
import shutil
import subprocess
import time
from pathlib import Path

from tailrace.errors import Failed

BLOCK = 1 << 20
SECONDS = 8
# Written over and over, so that no drive is filled.
FILE_BYTES = 256 * BLOCK
# One writer at a time leaves a fast drive idle between two writes.
WRITERS = 4
NAME = ".drive-limit"


def measured_mb_per_s(folder: Path) -> tuple[float, str]:
    """MB/s of sequential writes past the page cache, and by what: fio, or a loop of our own where
    it is not installed. Raises Failed."""
    file = folder / NAME
    try:
        if shutil.which("fio"):
            return _fio(file), "fio"
        return _loop(file), "a loop of direct writes (fio is not installed)"
    except OSError as err:
        raise Failed(f"{file}: the drive's limit could not be measured: {err}") from err
    finally:
        file.unlink(missing_ok=True)


def _fio(file: Path) -> float:
    options = {
        **{"name": "limit", "filename": str(file), "rw": "write", "bs": str(BLOCK)},
        **{"direct": "1", "ioengine": "psync", "numjobs": str(WRITERS), "group_reporting": "1"},
        **{"size": str(FILE_BYTES // WRITERS), "offset_increment": str(FILE_BYTES // WRITERS)},
        **{"runtime": str(SECONDS), "time_based": "1", "output-format": "json"},
    }
    command = ["fio", *(f"--{name}={value}" for name, value in options.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"fio: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    return float(json.loads(done.stdout)["jobs"][0]["write"]["bw_bytes"]) / 1e6


def _loop(file: Path) -> float:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o600)
    try:
        with mmap.mmap(-1, BLOCK) as block:
            block.write(os.urandom(BLOCK))
            began, written = time.monotonic(), 0
            while time.monotonic() - began < SECONDS:
                written += os.pwrite(handle, block, written % FILE_BYTES)
            return written / (time.monotonic() - began) / 1e6
    finally:
        os.close(handle)
