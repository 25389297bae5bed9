# SPDX-License-Identifier: Apache-2.0
"""Compares the messages that the load generator's recorders received with those in the broker's log.

A message is known by its producer and its sequence, which its payload has; an acknowledgement by partition and offset.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# Four words: what the agent's RowJournals and LogReader write. A producer of -1: a message without a payload header.
JOURNALED = np.dtype(
    [("partition", "<i4"), ("producer", "<i4"), ("offset", "<i8"), ("intended", "<i8"), ("micros", "<i8")]
)
LOGGED = np.dtype(
    [("partition", "<i4"), ("producer", "<i4"), ("offset", "<i8"), ("intended", "<i8"), ("sequence", "<i8")]
)
Entries: TypeAlias = npt.NDArray[Any]
_OFFSET_BITS = 44


# The load generator's consumers commit every 5 s; a broker that was away may have cost a commit.
COMMITTED_MICROS = 10_000_000
# How long after the broker went away consumers may still read again.
RECOVERED_MICROS = 60_000_000
# How far consumers may lag behind what was acknowledged.
LAG_MICROS = 15_000_000


@dataclass(frozen=True)
class Allowed:
    """What the faults of a round can cause beyond doubt; times are µs since 1970.

    ``away``: when the broker went, so that consumers read again from their last committed positions. ``ended``: when
    the consumers ended before they had read to the end; None if they read to the end.
    """

    away: tuple[int, ...] = ()
    ended: int | None = None

    @property
    def unread_since(self) -> int:
        """What was acknowledged from here on the consumers may not have read; only if they ``ended``."""
        assert self.ended is not None
        since = self.ended
        for away in sorted(self.away, reverse=True):
            if since - LAG_MICROS <= away <= since:
                since = away
        return since - LAG_MICROS


@dataclass(frozen=True)
class Seen:
    """``acked`` and ``received``: one array per recorder; ``ends``: the first and the end offset of each partition."""

    acked: list[Entries]
    received: list[Entries]
    logged: Entries
    ends: dict[int, tuple[int, int]]


@dataclass
class Messages:
    """Counts of messages. ``redelivered`` and ``unread`` are those that the round's faults allow."""

    messages: int = 0
    missing: int = 0
    duplicated: int = 0
    reordered: int = 0
    redelivered: int = 0
    unread: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: Messages) -> None:
        for name in ("messages", "missing", "duplicated", "reordered", "redelivered", "unread"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def found(self, name: str, count: int, what: str) -> None:
        setattr(self, name, getattr(self, name) + count)
        if count:
            self.notes.append(f"{count} messages {what}")


def journaled(folder: Path, kind: str) -> list[Entries]:
    """The messages of each recorder, in the order of recording. ``kind``: acked or received."""
    found = []
    for file in sorted(folder.glob(f"{kind}-*.messages")):
        entries = np.fromfile(file, JOURNALED)
        # An entry is complete once its time is written; after the last one all is zero.
        found.append(entries[: int(np.searchsorted(entries["micros"] == 0, True))])
    return found


def compare(seen: Seen, allowed: Allowed) -> Messages:
    result = Messages(messages=len(seen.logged))
    acked = _joined(seen.acked)
    if len(acked) and acked["offset"].min() < 0:
        result.notes.append("messages were sent with acks=0: there is no acknowledgement to compare")
    logged = seen.logged[np.lexsort((seen.logged["offset"], seen.logged["partition"]))]
    _log_has_all(acked, logged, seen.ends, result)
    _log_order(logged, result)
    received = _joined(seen.received)
    _received_from_log(received, logged, result)
    _all_received(acked, received, allowed, result)
    _received_once(seen.received, received, allowed, result)
    return result


def _joined(parts: list[Entries]) -> Entries:
    return np.concatenate(parts) if parts else np.empty(0, JOURNALED)


def _places(entries: Entries) -> npt.NDArray[np.int64]:
    """Partition and offset as one number."""
    joined: npt.NDArray[np.int64] = (entries["partition"].astype(np.int64) << _OFFSET_BITS) | entries["offset"]
    return joined


def _in_log(entries: Entries, logged: Entries) -> npt.NDArray[np.bool_]:
    """Whether the log has that very message at that place. ``logged`` is sorted by place."""
    if not len(logged):
        return np.zeros(len(entries), np.bool_)
    at = np.minimum(np.searchsorted(_places(logged), _places(entries)), len(logged) - 1)
    there = logged[at]
    same: npt.NDArray[np.bool_] = _places(there) == _places(entries)
    same &= (there["producer"] == entries["producer"]) & (there["intended"] == entries["intended"])
    return same


def _log_has_all(acked: Entries, logged: Entries, ends: dict[int, tuple[int, int]], result: Messages) -> None:
    result.found("missing", int((~_in_log(acked, logged)).sum()), "were acknowledged and are not in the log")
    counts = dict(zip(*(each.tolist() for each in np.unique(logged["partition"], return_counts=True)), strict=True))
    for partition, (first, end) in ends.items():
        if end - first != counts.get(partition, 0):
            count = counts.get(partition, 0)
            result.notes.append(f"partition {partition} has offsets {first} to {end} and {count} messages")


def _log_order(logged: Entries, result: Messages) -> None:
    """``logged`` is sorted by place, so the first of two copies comes first within a partition."""
    own = logged[logged["producer"] >= 0]
    identity = (own["producer"].astype(np.int64) << 40) | own["sequence"]
    _values, first = np.unique(identity, return_index=True)
    result.found("duplicated", len(own) - len(first), "are in the log once more than they were sent")
    once = own[np.sort(first)]
    order = np.lexsort((once["offset"], once["partition"], once["producer"]))
    sorted_ = once[order]
    same = (sorted_["producer"][1:] == sorted_["producer"][:-1]) & (
        sorted_["partition"][1:] == sorted_["partition"][:-1]
    )
    back = same & (sorted_["sequence"][1:] < sorted_["sequence"][:-1])
    result.found("reordered", int(back.sum()), "are in the log after a later one of their producer")


def _received_from_log(received: Entries, logged: Entries, result: Messages) -> None:
    own = received[received["producer"] >= 0]
    result.found("missing", int((~_in_log(own, logged)).sum()), "were received and are not in the log")


def _all_received(acked: Entries, received: Entries, allowed: Allowed, result: Messages) -> None:
    """A message before one that was received from its partition must have been received, whatever ended the run."""
    missing = acked[~np.isin(_places(acked), _places(received))]
    last = np.full(int(max(acked["partition"].max(initial=0), received["partition"].max(initial=0))) + 1, -1, np.int64)
    np.maximum.at(last, received["partition"], received["offset"])
    before = int((missing["offset"] < last[missing["partition"]]).sum())
    rest = len(missing) - before
    result.found("missing", before, "were acknowledged and not received, and later ones were")
    if allowed.ended is None:
        result.found("missing", rest, "were acknowledged and never received")
        return
    rest_acked = missing["micros"][missing["offset"] >= last[missing["partition"]]]
    late = int((rest_acked >= allowed.unread_since).sum())
    result.unread += late
    result.found("missing", rest - late, "were acknowledged long before the consumers ended, and never received")


def _received_once(recorders: list[Entries], received: Entries, allowed: Allowed, result: Messages) -> None:
    first, again = _received_again(received)
    caused = np.zeros(len(again), np.bool_)
    for away in allowed.away:
        read_again = (again >= away) & (again <= away + RECOVERED_MICROS)
        caused |= read_again & (first >= away - COMMITTED_MICROS)
    result.redelivered += int(caused.sum())
    result.found("duplicated", int((~caused).sum()), "were received once more, and no fault can cause that")
    back = sum(_steps_back(recorder) for recorder in recorders)
    result.found("reordered", back, "were received for the first time after a later one of their partition")


def _received_again(received: Entries) -> tuple[Entries, Entries]:
    """The times of each delivery but the first of its message, and of the one before it."""
    order = np.lexsort((received["micros"], _places(received)))
    places, micros = _places(received)[order], received["micros"][order]
    same = places[1:] == places[:-1]
    return micros[:-1][same], micros[1:][same]


def _steps_back(received: Entries) -> int:
    """First deliveries to one consumer whose offset is below an earlier delivery's of the partition."""
    _values, first = np.unique(_places(received), return_index=True)
    once = received[np.sort(first)]
    once = once[np.argsort(once["partition"], kind="stable")]
    same = once["partition"][1:] == once["partition"][:-1]
    return int((same & (once["offset"][1:] < once["offset"][:-1])).sum())
