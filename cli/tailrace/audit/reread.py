# SPDX-License-Identifier: Apache-2.0
"""Checks what a re-read of the logs found after the run (``audit: {reread: …}``). Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tailrace.audit.verdict import Failure

MOST_LISTED = 5


@dataclass(frozen=True)
class Reread:
    """One partition, as in the query audit_reread. ``compacted``: compaction may have removed messages."""

    topic: str
    partition: int
    compacted: bool
    ranges: int
    messages: int
    lost: int
    first_lost: tuple[int, ...]
    removed: int
    uncommitted: int
    altered: int
    first_altered: tuple[int, ...]
    surplus: int
    corrupt: tuple[int, ...]
    foreign: int = 0

    @property
    def place(self) -> str:
        return f"{self.topic}/{self.partition}"


@dataclass(frozen=True)
class Rereads:
    """``planned``: what the workload asks for, as text; empty for nothing. ``ledger``: messages that the load
    generator counted. ``incomplete``: why it ended early."""

    planned: str = ""
    ledger: int = 0
    incomplete: tuple[str, ...] = ()
    partitions: tuple[Reread, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every message was to be read again, and was."""
        return self.planned == "100 %" and not self.incomplete

    def covers(self, places: Iterable[str]) -> bool:
        """Whether the re-read reached all of these partitions."""
        return bool(self.partitions) and {each.place for each in self.partitions}.issuperset(places)


NO_REREAD = Rereads()


def check_reread(found: Rereads, state: str) -> Iterator[Failure]:
    """A failure per partition and kind, with the first offsets; and for a re-read that was asked for and not made."""
    for each in found.partitions:
        if each.lost and not each.compacted:
            text = f"{each.place}: a re-read did not find {each.lost} messages that were acknowledged or received"
            yield Failure("reread_lost", each.place, 0, each.lost, f"{text} ({_listed('offsets', each.first_lost)})")
        if each.altered:
            text = f"{each.place}: a re-read found other messages at the offsets of {each.altered} ranges"
            listed = _listed("beginning at", each.first_altered)
            yield Failure("reread_altered", each.place, 0, each.altered, f"{text} ({listed})")
        if each.corrupt:
            text = (
                f"{each.place}: {len(each.corrupt)} messages that were read again differ from the bytes that were sent"
            )
            listed = _listed("offsets", each.corrupt)
            yield Failure("reread_corrupt", each.place, 0, len(each.corrupt), f"{text} ({listed})")
    read = sum(each.messages for each in found.partitions)
    if read != found.ledger and not found.incomplete:
        text = f"the re-read stored {read} messages and counted {found.ledger}"
        yield Failure("reread_stored", "run", found.ledger, read, text)
    if found.incomplete:
        text = f"the re-read is incomplete: {'; '.join(found.incomplete[:MOST_LISTED])}"
        yield Failure("reread_incomplete", "run", 0, len(found.incomplete), text)
    elif found.planned and not found.partitions and state == "finished":
        text = f"the re-read of {found.planned} was not made: no broker stated where the logs end"
        yield Failure("reread_incomplete", "run", 1, 0, text)


def reread_notes(found: Rereads) -> Iterator[str]:
    """What was read again, and what of it is no failure."""
    if not found.partitions:
        if found.planned:
            yield f"the re-read of {found.planned} was not made"
        return
    read, ranges = (sum(getattr(each, name) for each in found.partitions) for name in ("messages", "ranges"))
    yield f"re-read of {found.planned or 'the logs'}: {read} messages of {ranges} ranges were read again"
    sums = {
        "messages were below the log's start": sum(each.removed for each in found.partitions),
        "acknowledged messages of transactions were neither received nor in the log": _sum(
            found.partitions, "uncommitted"
        ),
        "messages were read that were neither acknowledged nor received, so their ranges are not compared": (
            _sum(found.partitions, "surplus")
        ),
        "messages that this run did not send are in the logs": _sum(found.partitions, "foreign"),
        "messages of compacted topics are gone; not checked is whether a newer one of their key is there": sum(
            each.lost for each in found.partitions if each.compacted
        ),
    }
    for what, count in sums.items():
        if count:
            yield f"re-read: {count} {what}"


def _sum(partitions: Sequence[Reread], name: str) -> int:
    return sum(int(getattr(each, name)) for each in partitions)


def _listed(what: str, offsets: Sequence[int]) -> str:
    more = ", …" if len(offsets) >= MOST_LISTED else ""
    return f"{what} {', '.join(map(str, offsets[:MOST_LISTED]))}{more}"
