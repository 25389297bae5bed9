# SPDX-License-Identifier: Apache-2.0
"""Reads what the brokers stated of a run's logs, and what a re-read of them found, from the warehouse."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.audit.logs import Log, LostOffsets
from tailrace.audit.reread import Reread, Rereads
from tailrace.queries.ask import Row, rows

FLAGS = ("existing", "unanswered", "transactions", "begun", "ended")
PLANNED = ("reread_share", "reread_messages")


def read_logs(client: Client, run_id: str) -> tuple[Log, ...]:
    """A log per partition. What is outside of it is read only where an offset shows that there is something."""
    found = []
    for row in rows(client, "audit_logs", run_id=run_id):
        log = Log(**{**row, **{name: bool(row[name]) for name in FLAGS}})
        found.append(Log(**{**log.__dict__, "lost": _lost(client, run_id, log)}) if log.outside else log)
    return tuple(found)


def _lost(client: Client, run_id: str, log: Log) -> tuple[LostOffsets, ...]:
    where = {"topic": log.topic, "partition": str(log.partition), "run_start": str(log.first_offset)}
    ends = {"log_start": str(log.log_start), "log_end": str(log.log_end)}
    found = rows(client, "audit_log_lost", run_id=run_id, **where, **ends)
    return tuple(LostOffsets(**_tuples(row)) for row in found)


def read_rereads(client: Client, run_id: str, logs: Iterable[Log]) -> Rereads:
    """What the plan asks to read again, and what was found, by partition."""
    (state,) = rows(client, "audit_reread_state", run_id=run_id)
    if not state["ranges"]:
        return Rereads(state["planned"], state["counted"], tuple(state["incomplete"]))
    known = {(log.topic, log.partition): log for log in logs}
    partitions = []
    for topic, partition in state["partitions"]:
        log = known.get((topic, partition))
        where = {"topic": topic, "partition": str(partition), "log_start": str(log.log_start if log else 0)}
        (row,) = rows(client, "audit_reread", run_id=run_id, **where)
        compacted = log is not None and log.has_policy("compact")
        partitions.append(Reread(topic=topic, partition=partition, compacted=compacted, **_tuples(row)))
    return Rereads(state["planned"], state["counted"], tuple(state["incomplete"]), tuple(partitions))


def _tuples(row: Row) -> Mapping[str, Any]:
    return {
        name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in row.items()
    }
