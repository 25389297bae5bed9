# SPDX-License-Identifier: Apache-2.0
"""What a drive was sent, in order, and the states that a power cut can leave.

The log is a file of records: a kind, an offset and a length, and for a write its bytes. A flush makes all writes before
it permanent. Of the writes after the last flush before a cut, a real drive may have kept any, in any order.
"""

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

RECORD = struct.Struct("<BQQ")
WRITE, FLUSH, CUT = range(3)
# A drive writes a piece of that size whole or not at all.
PIECE = 4096


@dataclass(frozen=True)
class Record:
    """``offset``: of a write, or the number of a cut; ``at``: where its bytes are in the log."""

    kind: int
    offset: int
    length: int
    at: int


class Writer:
    """Appends to a log. Nothing is held back in this process when a method returns."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)

    def write(self, offset: int, data: memoryview) -> None:
        self._file.write(RECORD.pack(WRITE, offset, len(data)))
        self._file.write(data)

    def flush(self) -> None:
        self._file.write(RECORD.pack(FLUSH, 0, 0))

    def cut(self, number: int) -> None:
        self._file.write(RECORD.pack(CUT, number, 0))


def records(log: BinaryIO) -> Iterator[Record]:
    """All whole records from the start."""
    log.seek(0)
    while len(head := log.read(RECORD.size)) == RECORD.size:
        kind, offset, length = RECORD.unpack(head)
        yield Record(kind, offset, length, log.tell())
        log.seek(length, 1)


@dataclass(frozen=True)
class Mark:
    """Where the log is cut: ``flushes`` more succeed after mark ``number``."""

    number: int
    flushes: int


@dataclass(frozen=True)
class CutState:
    """What a cut found: writes that a flush has made permanent, and later ones in pieces, of which some were kept."""

    flushed: int
    pieces: int
    kept: int


def image_at(log_path: Path, mark: Mark, image: Path, kept_share: float, rng: random.Random) -> CutState:
    """Change ``image``, the drive's state before the log's first record, into one that the cut can leave.

    The power goes while the drive works on a flush, and nothing of this flush counts.

    ``kept_share``: the chance of each piece that was not flushed to be on the drive nevertheless.
    """
    with log_path.open("rb") as log, image.open("r+b", buffering=0) as drive:
        permanent, pending = _before(records(log), mark)
        for each in permanent:
            _copy(log, drive, each.at, each.offset, each.length)
        pieces = kept = 0
        for each in pending:
            for begin in range(0, each.length, PIECE):
                pieces += 1
                if rng.random() < kept_share:
                    kept += 1
                    _copy(log, drive, each.at + begin, each.offset + begin, min(PIECE, each.length - begin))
    return CutState(len(permanent), pieces, kept)


def _before(found: Iterator[Record], mark: Mark) -> tuple[list[Record], list[Record]]:
    """Permanent and pending writes just before a flush after the mark: then most is pending."""
    permanent: list[Record] = []
    pending: list[Record] = []
    marked = False
    flushes_left = mark.flushes
    for each in found:
        if each.kind == WRITE:
            pending.append(each)
        elif each.kind == FLUSH and marked and not flushes_left:
            break
        elif each.kind == FLUSH:
            flushes_left -= marked
            permanent += pending
            pending = []
        else:
            marked |= each.offset == mark.number
    if not marked:
        raise ValueError(f"the log has no cut {mark.number}")
    return permanent, pending


def _copy(log: BinaryIO, drive: BinaryIO, at: int, to: int, length: int) -> None:
    log.seek(at)
    drive.seek(to)
    drive.write(log.read(length))
