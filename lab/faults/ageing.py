# SPDX-License-Identifier: Apache-2.0
"""A drive that becomes slow in the middle of a run, as flash does without free blocks: it still keeps up with its load,
and each write waits.

The load in bytes/s depends on broker, file system and messages, so it is counted on the drive until then. A limit a
little above the load keeps the drive busy; with one below it, requests would queue without end.
"""

import re
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lab.faults import drive, system
from lab.faults.amounts import amount
from lab.faults.drive import Device
from lab.stand.errors import StandError

Say = Callable[[str], None]
_BEGUN = re.compile(r"^(\[0\] )?measure ")
# Bytes/s; with less, no program that flushes makes progress.
_LEAST = 100_000
_SECTOR = 512


class Ageing:
    """Follows a run's output. ``wanted``: ``slowAfter`` its measuring begins, to ``slowBytesPerSecond``, or to
    ``slowTimes`` as many as it has written until then."""

    def __init__(self, device: Device, wanted: Mapping[str, Any], say: Say) -> None:
        self._device = device
        self._wanted = wanted
        self._say = say
        self._timer: threading.Timer | None = None
        self._began = (0.0, 0)
        self._aged = False

    def follow(self, line: str) -> None:
        """Only the first run ages the drive."""
        if "slowAfter" not in self._wanted or self._timer is not None or not _BEGUN.match(line):
            return
        self._began = (time.monotonic(), written(self._device.number))
        self._timer = threading.Timer(amount(self._wanted["slowAfter"]), self._slow)
        self._timer.daemon = True
        self._say(f"  the drive grows slow in {self._wanted['slowAfter']}")
        self._timer.start()

    def end(self) -> None:
        """Stop ageing; the code that set the limits restores them."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    def missed(self) -> bool:
        """Whether the drive was to grow slow in a run and did not: that run cannot be judged."""
        return self._timer is not None and not self._aged

    def _slow(self) -> None:
        try:
            self._limit()
        except (OSError, StandError, ValueError, IndexError) as err:
            self._say(f"  the drive does not grow slow: {err}")

    def _limit(self) -> None:
        since, before = self._began
        seconds = max(0.001, time.monotonic() - since)
        made = (written(self._device.number) - before) / seconds
        takes = slow(self._wanted, made)
        system.put(drive.WRITE_BYTES, f"{self._device.number} {takes}")
        self._aged = True
        self._say(f"  the drive takes {takes / 1e6:.1f} MB/s from here on; it wrote {made / 1e6:.1f}")


def slow(wanted: Mapping[str, Any], made: float) -> int:
    """Bytes/s that a drive takes when it is old, having written ``made`` a second."""
    if "slowTimes" in wanted:
        return max(_LEAST, round(amount(wanted["slowTimes"]) * made))
    return int(amount(wanted["slowBytesPerSecond"]))


def written(number: str) -> int:
    """Bytes written to a device (major:minor) since it was made."""
    fields = (Path("/sys/dev/block") / number / "stat").read_text().split()
    return int(fields[6]) * _SECTOR
