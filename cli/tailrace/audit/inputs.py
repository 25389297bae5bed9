# SPDX-License-Identifier: Apache-2.0
"""Reads what the audit compares: one run's counters, rows, offsets and clocks, from the warehouse."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from clickhouse_connect.driver.client import Client

from tailrace.audit.copies import Copied, read_copies
from tailrace.audit.duplicates import NO_PROMISE, Promise, Unacknowledged, read_promise, read_unacknowledged
from tailrace.audit.log_inputs import read_logs, read_rereads
from tailrace.audit.logs import Log
from tailrace.audit.partition_inputs import Partition, Record, read_partitions, records
from tailrace.audit.requests import Requests
from tailrace.audit.reread import NO_REREAD, Rereads
from tailrace.audit.state import UNKNOWN, State
from tailrace.audit.transactions import Found, Open, read_transactions
from tailrace.audit.verdict import BrokerCounts
from tailrace.queries.ask import rows


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
    ``corrupt``: by worker, the places of its first damaged messages. ``brokers``: acknowledged messages only.
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
    corrupt: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    copies: tuple[Copied, ...] = ()
    brokers: tuple[BrokerCounts, ...] = ()
    requests: tuple[Requests, ...] = ()

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

    def read(kind: type[Record], query: str) -> tuple[Record, ...]:
        return records(kind, rows(client, query, run_id=run_id))

    counts = read(Counts, "audit_counts")
    logs = read_logs(client, run_id)
    partitions = tuple(read_partitions(client, run_id, logs))
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
        corrupt={row["worker"]: tuple(row["places"]) for row in rows(client, "audit_corrupt", run_id=run_id)},
        copies=read_copies(client, run_id),
        brokers=read(BrokerCounts, "audit_brokers"),
        requests=read(Requests, "audit_requests"),
    )
