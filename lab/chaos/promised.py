# SPDX-License-Identifier: Apache-2.0
"""Reads the spool of a killed load generator: the rows that must be stored after its replay.

Reads the files as docs/contracts/spool.md has them, and trusts their checksums to the replay.
"""

import json
import struct
from collections.abc import Iterator
from pathlib import Path

MAGIC = b"\xf5TRBLK\r\n"
HEAD_BYTES = 80
ACK_BYTES = 48
SLOT_BYTES = 32_768


def rows(folder: Path) -> dict[str, int]:
    """By stream: rows known to be committed, and those of all whole blocks that are not known to be."""
    settled, stored = _settled(folder)
    waiting: dict[tuple[str, int], int] = {}
    for segment in sorted(folder.glob("*.seg")):
        waiting |= {(stream, seq): count for stream, seq, count in _blocks(segment.read_bytes())}
    for (stream, seq), count in waiting.items():
        if seq >= settled.get(stream, 0):
            stored[stream] = stored.get(stream, 0) + count
    return stored


def _settled(folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """By stream: the first block that is not settled, and the rows known to be committed."""
    settled, stored = {}, {}
    for stream, progress in _checkpoint((folder / "checkpoint").read_bytes())["streams"].items():
        settled[stream], stored[stream] = progress["settled_seq"], progress["stored"]
    acks = (folder / "acks").read_bytes()
    for at in range(0, len(acks) // ACK_BYTES * ACK_BYTES, ACK_BYTES):
        seq, count, name = struct.unpack_from("<8xQQ24s", acks, at)
        stream = name.rstrip(b"\0").decode()
        if seq > settled.get(stream, 0):
            settled[stream], stored[stream] = seq, count
    return settled, stored


def _checkpoint(slots: bytes) -> dict[str, dict[str, dict[str, int]]]:
    """The newer readable slot."""
    best, found = 0, None
    for at in (0, SLOT_BYTES):
        magic, _, length, generation = struct.unpack_from("<8sIIQ", slots, at)
        if magic == b"TRCHKPT\n" and generation > best:
            try:
                found, best = json.loads(slots[at + 24 : at + 24 + length]), generation
            except ValueError:
                continue
    if found is None:
        raise ValueError("neither slot of the checkpoint can be read")
    return found  # type: ignore[no-any-return]


def _blocks(segment: bytes) -> Iterator[tuple[str, int, int]]:
    """Stream, seq and rows of each whole record."""
    at = 22 + struct.unpack_from("<16xH", segment)[0] if len(segment) > 22 else len(segment)
    while at + HEAD_BYTES <= len(segment):
        magic, columns, body, count, seq, name = struct.unpack_from("<8s8xIII4xQ16x24s", segment, at)
        end = at + HEAD_BYTES + columns + body
        if magic != MAGIC or end > len(segment):
            return
        yield name.rstrip(b"\0").decode(), seq, count
        at = end
