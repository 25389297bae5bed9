# SPDX-License-Identifier: Apache-2.0
"""Reads what the audit compares: one run's counters, rows, offsets and clocks, from the warehouse."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from clickhouse_connect.driver.client import Client

from tailrace.audit.copies import Copied, read_copies
from tailrace.audit.duplicates import NO_PROMISE, Promise, Unacknowledged, read_promise, read_unacknowledged
from tailrace.audit.log_inputs import read_logs, read_rereads
from tailrace.audit.logs import Log
from tailrace.audit.reread import NO_REREAD, Rereads
from tailrace.audit.state import UNKNOWN, State
from tailrace.audit.transactions import Found, Open, read_transactions
from tailrace.queries.ask import Row, rows

# About a gigabyte of memory while sorted; the engine uses disk beyond its share of memory.
ROWS_SORTED_AT_ONCE = 20_000_000

_Record = TypeVar("_Record")
FLAGS = ("same", "uncommitted", "existing", "share", "unanswered")


@dataclass(frozen=True)
class Counts:
    """One worker's counters of one stream and the number of stored rows (events).

    ``unknown`` names counters that a killed worker's spool did not contain. ``identified``: the load generator recorded
    what identifies a message; older versions did not.
    """

    worker: int
    stream: str
    ledger_rows: int
    sent: int
    acked: int
    failed: int
    aborted: int
    in_doubt: int
    unsent: int
    received: int
    redelivered: int
    foreign: int
    other_run: int
    corrupt: int
    recorded: int
    lost: int
    lost_reasons: Mapping[str, int]
    stored: int
    unknown: tuple[str, ...] = ()
    identified: bool = False
    begun: int = 0
    ended: int = 0


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


@dataclass(frozen=True)
class Rollup:
    """Messages that one rollup counts for one worker and stage, and the number of stored rows."""

    worker: int
    rollup: str
    stage: str
    events: int
    stored: int


@dataclass(frozen=True)
class Early:
    """Messages that a worker received before their intended send, by up to ``most_us``."""

    worker: int
    messages: int
    most_us: int


@dataclass(frozen=True)
class HostClock:
    """A host's clock minus the warehouse's: between ``least_us`` and ``most_us``, as measured."""

    host: str
    workers: tuple[int, ...]
    least_us: float
    most_us: float
    measurements: int


@dataclass(frozen=True)
class Killed:
    """One stream of a load generator that was killed: rows after ``from_time`` may be missing.

    ``to_time`` is its last checkpoint: events that it recorded later, outside any block, are in no count.
    """

    worker: int
    stream: str
    from_time: datetime
    to_time: datetime


@dataclass(frozen=True)
class Unsent:
    """Messages of a worker that were overdue when it stopped, for one reason; the times are their intended sends."""

    worker: int
    reason: str
    messages: int
    from_time: datetime
    to_time: datetime


@dataclass(frozen=True)
class AuditInputs:
    """Everything that the audit compares.

    ``undrained``: messages of load generators that stopped waiting before all groups had read to the end.
    ``leader_lost``: one line of each worker that ended after its phase because worker 0 no longer answered.
    """

    run_id: str
    counts: tuple[Counts, ...]
    rollups: tuple[Rollup, ...]
    partitions: tuple[Partition, ...]
    early: tuple[Early, ...] = ()
    clocks: tuple[HostClock, ...] = ()
    killed: tuple[Killed, ...] = ()
    unsent: tuple[Unsent, ...] = ()
    undrained: tuple[str, ...] = ()
    leader_lost: tuple[str, ...] = ()
    unacknowledged: tuple[Unacknowledged, ...] = ()
    promise: Promise = NO_PROMISE
    transactions: tuple[Found, ...] = ()
    state: State = UNKNOWN
    logs: tuple[Log, ...] = ()
    rereads: Rereads = NO_REREAD
    copies: tuple[Copied, ...] = ()

    @property
    def identified(self) -> bool:
        """Whether producer, intended send and tie identify each message."""
        return any(counts.identified for counts in self.counts)

    @property
    def open_transactions(self) -> tuple[Open, ...]:
        """Transactions that a worker began and whose outcome it did not record."""
        killed = {each.worker for each in self.killed}
        return tuple(
            Open(each.worker, each.begun - each.ended, each.worker in killed)
            for each in self.counts
            if each.begun > each.ended
        )

    def total(self, counter: str, stream: str | None = None) -> int:
        """A counter's sum over all workers, of one stream or of all."""
        return sum(getattr(counts, counter) for counts in self.counts if stream in (None, counts.stream))


def read_inputs(client: Client, run_id: str) -> AuditInputs:
    """Query the warehouse. Offsets are compared one by one only in partitions whose sums differ."""

    def read(kind: type[_Record], query: str) -> tuple[_Record, ...]:
        return _records(kind, rows(client, query, run_id=run_id))

    counts = read(Counts, "audit_counts")
    logs = read_logs(client, run_id)
    partitions = tuple(_partitions(client, run_id, logs))
    places = [
        (p.topic, p.partition, p.subscription)
        for p in partitions
        if any(each.kind == "unacknowledged" for each in p.differences) and any(each.identified for each in counts)
    ]
    errors = rows(client, "run_events", run_id=run_id, kind="error")
    received = sum(each.received for each in counts)
    return AuditInputs(
        run_id,
        counts=counts,
        rollups=read(Rollup, "audit_rollups"),
        partitions=partitions,
        early=read(Early, "audit_clocks"),
        clocks=read(HostClock, "audit_clock_offsets"),
        killed=read(Killed, "audit_killed"),
        unsent=read(Unsent, "audit_unsent"),
        undrained=tuple(row["detail"] for row in errors if row["name"] == "not_drained"),
        leader_lost=tuple(row["detail"] for row in errors if row["name"] == "leader_lost"),
        unacknowledged=read_unacknowledged(client, run_id, places),
        promise=read_promise(client, run_id),
        transactions=read_transactions(client, run_id, received),
        state=read(State, "audit_state")[0],
        logs=logs,
        rereads=read_rereads(client, run_id, logs),
        copies=read_copies(client, run_id),
    )


def _records(kind: type[_Record], found: Iterable[Row]) -> tuple[_Record, ...]:
    """A record of each row, with the row's arrays as tuples."""
    whole = ({name: tuple(v) if isinstance(v, list) else v for name, v in row.items()} for row in found)
    return tuple(kind(**each) for each in whole)


def _partitions(client: Client, run_id: str, logs: tuple[Log, ...]) -> Iterator[Partition]:
    # The offsets of a copy are those of the program that copies; its messages are judged in copies.py.
    found = [row for row in rows(client, "audit_partitions", run_id=run_id) if not row.pop("copied")]
    reordered = _reordered(client, run_id, found)
    ends = {(log.topic, log.partition): log.log_end for log in logs}
    for row in found:
        place = str(row["topic"]), int(row["partition"])
        moved = reordered.get(place, 0)
        differences: tuple[Difference, ...] = ()
        if not row["same"] or row["uncommitted"] or moved:
            differences = _differences(client, run_id, row, ends.get(place, 0))
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
        return _records(Difference, rows(client, "audit_unanswered", run_id=run_id, **log, **_where(row)))
    return _records(Difference, rows(client, "audit_offsets", run_id=run_id, **_where(row)))


def _redelivered(client: Client, run_id: str, row: Row) -> Redelivered:
    return _records(Redelivered, rows(client, "audit_redelivered", run_id=run_id, **_where(row)))[0]


def _where(row: Row) -> dict[str, str]:
    return {name: str(row[name]) for name in ("topic", "partition", "subscription")}
