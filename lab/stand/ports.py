# SPDX-License-Identifier: Apache-2.0
"""Free ports on loopback.

They lie below the range from which the kernel takes ports for outgoing connections (32768 and up): an outgoing
connection could otherwise take the port of a server that restarts.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from lab.stand.errors import StandError
from tailrace.api import is_free

RANGE = range(20_000, 32_000)
# A port that was given out is taken, even while its server has not started yet.
_given: set[int] = set()


def free_port() -> int:
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Different ports that are free now and were not given out before. Raises StandError if there are too few."""
    free: list[int] = []
    for port in random.sample(RANGE, len(RANGE)):
        if len(free) == count:
            return free
        if port not in _given and is_free(port):
            _given.add(port)
            free.append(port)
    raise StandError(f"fewer than {count} free ports between {RANGE.start} and {RANGE.stop}")


def write_ports_file(file: Path, names: Sequence[str]) -> Path:
    """A ports file, NAME=number a line, with a free port for each name."""
    ports = zip(names, free_ports(len(names)), strict=True)
    file.write_text("".join(f"{name}={port}\n" for name, port in ports), encoding="utf-8")
    return file
