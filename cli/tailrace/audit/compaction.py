# SPDX-License-Identifier: Apache-2.0
"""Messages missing from compacted topics: compaction keeps the newest message of each key alone. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from tailrace.audit.inputs import AuditInputs
from tailrace.audit.logs import Log
from tailrace.audit.partition_inputs import Difference, Partition
from tailrace.audit.verdict import Failure

MISSING = "missing"


def without_compacted(inputs: AuditInputs) -> tuple[AuditInputs, list[Failure], list[str], dict[int, int]]:
    """The inputs without messages missing from compacted topics; failures and notes about those; by subscription, the
    number that compaction may have removed.

    Keys are not recorded, so a newer message of the same key is not looked for. What compaction never removes stays
    missing: messages after the last one received, because the log's last segment is not compacted; all in a log that
    had one segment alone; and those younger than ``min.compaction.lag.ms``.
    """
    logs = {(log.topic, log.partition): log for log in inputs.logs if log.has_policy("compact")}
    partitions: list[Partition] = []
    failures: list[Failure] = []
    notes: list[str] = []
    counted: Counter[int] = Counter()
    for p in inputs.partitions:
        log = logs.get((p.topic, p.partition))
        found = [each for each in p.differences if each.kind == MISSING] if log else []
        if log is None or not found or not _may_compact(log, found[0]) or found[0].offsets == found[0].after_last:
            partitions.append(p)
            continue
        gone = found[0].offsets - found[0].after_last
        counted[p.subscription] += gone
        notes.append(
            f"{p.topic}/{p.partition} subscription {p.subscription}: {gone} acknowledged messages were not received, "
            "and compaction may have removed them first: not checked is whether a newer message of their key came"
        )
        failures += _after_last(p, found[0])
        partitions.append(_without(p, found[0]))
    return replace(inputs, partitions=tuple(partitions)), failures, notes, counted


def compacted_topics(logs: Sequence[Log]) -> list[str]:
    """Topics of the run from which compaction may remove messages."""
    return list(dict.fromkeys(log.topic for log in logs if log.has_policy("compact")))


def _may_compact(log: Log, missing: Difference) -> bool:
    """Whether a segment may have been complete, so that it could be compacted, while the run went on."""
    if missing.first_time + timedelta(milliseconds=log.setting("min.compaction.lag.ms") or 0) > log.end_time:
        return False
    size = log.setting("segment.bytes")
    ages = [log.setting("segment.ms"), log.setting("max.compaction.lag.ms")]
    return (
        log.existing
        or (size is not None and log.most_bytes >= size)
        or any(age is not None and _passed(missing.first_time, age, log.end_time) for age in ages)
    )


def _passed(since: datetime, age_ms: int, until: datetime) -> bool:
    return (until - since) / timedelta(milliseconds=1) >= age_ms


def _after_last(p: Partition, missing: Difference) -> Iterator[Failure]:
    if missing.after_last:
        where = f"{p.topic}/{p.partition} subscription {p.subscription}"
        why = "acknowledged after the last message received, where compaction removes none"
        text = f"{where}: missing is {missing.after_last}, expected 0 ({why})"
        yield Failure(MISSING, where, 0, missing.after_last, text)


def _without(p: Partition, missing: Difference) -> Partition:
    rest = tuple(each for each in p.differences if each is not missing)
    return replace(p, differences=rest, same=p.same or not rest)
