# SPDX-License-Identifier: Apache-2.0
"""Waits for a condition, with a limit."""

import time
from collections.abc import Callable
from pathlib import Path

from lab.stand.errors import StandError


def until(check: Callable[[], bool], what: str, timeout_s: float, log: Path | None = None) -> None:
    """Poll until the check is true. Raises StandError naming ``what`` when time is up."""
    deadline = time.monotonic() + timeout_s
    while not check():
        if time.monotonic() > deadline:
            raise StandError(f"not within {timeout_s:.0f} s: {what}", log)
        time.sleep(0.05)
