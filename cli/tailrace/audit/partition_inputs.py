# SPDX-License-Identifier: Apache-2.0
"""Reads what each subscription received from each partition, beside what was acknowledged there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from clickhouse_connect.driver.client import Client

from tailrace.audit.logs import Log
from tailrace.queries.ask import Row, rows

# About a gigabyte of memory while sorted; the engine uses disk beyond its share of memory.
ROWS_SORTED_AT_ONCE = 20_000_000

Record = TypeVar("Record")
FLAGS = ("same", "uncommitted", "existing", "share", "unanswered")


@dataclass(frozen=True)
class Difference:
    """Offsets of one partition with one kind of discrepancy.

    ``after_last``: how many of them follow the last offset that has both rows, as happens when a load generator is
    killed. ``first_time`` to ``last_time``: their intended sends.
    """

    kind: str
    offsets: int
    first_offsets: tuple[int, ...]
    after_last: int
    first_time: datetime
    last_time: datetime


@dataclass(frozen=True)
class Redelivered:
    """Messages of a partition that one subscription received more than once; ``deliveries`` after the first of each.

    ``unexplained``: those that no rebalance of the partition explains.
    """

    offsets: int
    deliveries: int
    unexplained: int
    first_unexplained: tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """One partition as one subscription received it.

    ``uncommitted``: a transaction that wrote it did not commit. ``existing``: its topic may hold messages from before
    the run. ``share``: read by a share group. ``unanswered``: written with acks=0, so ``acked`` counts messages handed
    to the socket, and their offsets are unknown.
    """

    topic: str
    partition: int
    subscription: int
    acked: int
    received: int
    same: bool
    reordered: int
    uncommitted: bool = False
    existing: bool = False
    share: bool = False
    unanswered: bool = False
    differences: tuple[Difference, ...] = ()
    redelivered: Redelivered | None = None


def records(kind: type[Record], found: Iterable[Row]) -> tuple[Record, ...]:
    """A record of each row, with the row's arrays as tuples."""
    whole = ({name: tuple(v) if isinstance(v, list) else v for name, v in row.items()} for row in found)
    return tuple(kind(**each) for each in whole)


def read_partitions(client: Client, run_id: str, logs: tuple[Log, ...]) -> Iterator[Partition]:
    """Offsets are compared one by one only where the sums differ."""
    # The offsets of a copy are those of the program that copies; its messages are judged in copies.py.
    found = [row for row in rows(client, "audit_partitions", run_id=run_id) if not row.pop("copied")]
    reordered = _reordered(client, run_id, found)
    ends = {(log.topic, log.partition): log.log_end for log in logs}
    late = [_where(row) for row in rows(client, "audit_received_order", run_id=run_id)]
    for row in found:
        place = str(row["topic"]), int(row["partition"])
        moved = reordered.get(place, 0)
        differs = not row["same"] or row["uncommitted"] or moved
        differences = _differences(client, run_id, row, ends.get(place, 0)) if differs else ()
        if _where(row) in late and not row["share"]:
            differences += records(Difference, rows(client, "audit_received_late", run_id=run_id, **_where(row)))
        flags = {name: bool(row[name]) for name in FLAGS}
        again = _redelivered(client, run_id, row) if any(each.kind == "duplicated" for each in differences) else None
        yield Partition(**{**row, **flags, "reordered": moved, "differences": differences, "redelivered": again})


def _reordered(client: Client, run_id: str, partitions: list[Row]) -> dict[tuple[str, int], int]:
    """Reordered messages by topic and partition. A query reads many partitions, as rows are not sorted by them."""
    acked: dict[str, dict[int, int]] = {}
    for row in partitions:
        acked.setdefault(str(row["topic"]), {})[int(row["partition"])] = int(row["acked"])
    found: dict[tuple[str, int], int] = {}
    for topic, messages in acked.items():
        slices = max(1, min(len(messages), -(-sum(messages.values()) // ROWS_SORTED_AT_ONCE)))
        for number in range(slices):
            part = {"topic": topic, "slices": str(slices), "slice": str(number)}
            for row in rows(client, "audit_order", run_id=run_id, **part):
                found[topic, int(row["partition"])] = int(row["reordered"])
    return found


def _differences(client: Client, run_id: str, row: Row, log_end: int) -> tuple[Difference, ...]:
    if row["unanswered"]:
        log = {"gaps": "0" if row["existing"] else "1", "log_end": str(log_end)}
        return records(Difference, rows(client, "audit_unanswered", run_id=run_id, **log, **_where(row)))
    return records(Difference, rows(client, "audit_offsets", run_id=run_id, **_where(row)))


def _redelivered(client: Client, run_id: str, row: Row) -> Redelivered:
    return records(Redelivered, rows(client, "audit_redelivered", run_id=run_id, **_where(row)))[0]


def _where(row: Row) -> dict[str, str]:
    return {name: str(row[name]) for name in ("topic", "partition", "subscription")}
