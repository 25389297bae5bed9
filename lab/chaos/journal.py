# SPDX-License-Identifier: Apache-2.0
"""The rows that the load generator's recorders received, as the Java agent wrote them (lab/chaos/agent)."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

STREAMS = {
    "acked": "publishes",
    "received": "deliveries",
    "failed": "publish_failures",
    "event": "run_events",
    "leader": "partition_leaders",
}


@dataclass(frozen=True)
class Recorded:
    """The rows of one recorder in the order of recording."""

    hashes: array[int]
    micros: array[int]


def read(folder: Path) -> dict[str, list[Recorded]]:
    """All recorders' rows by stream. Raises ValueError where a file is not a journal."""
    found: dict[str, list[Recorded]] = {stream: [] for stream in STREAMS.values()}
    for file in sorted(folder.glob("*.rows")):
        stream = STREAMS[file.name.partition("-")[0]]
        found[stream].append(_recorder(file))
    return found


def _recorder(file: Path) -> Recorded:
    if sys.byteorder != "little":
        raise ValueError(f"{file}: journals are read on little-endian machines only")
    words = array("Q")
    with file.open("rb") as source:
        words.fromfile(source, file.stat().st_size // 8)
    hashes, micros = words[0::2], words[1::2]
    # A row is complete once its time is written; after the last row all is zero.
    rows = bisect_left(micros, 1, key=lambda value: 0 if value else 1)
    if any(micros[rows:]):
        raise ValueError(f"{file}: a row after the end; the journal is damaged")
    return Recorded(hashes[:rows], micros[:rows])
