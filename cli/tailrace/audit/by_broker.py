# SPDX-License-Identifier: Apache-2.0
"""The audit's counts by the broker that led the partition at the time. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields

from tailrace.audit.partition_inputs import Partition
from tailrace.audit.verdict import BrokerCounts

# A column of BrokerCounts, and the kinds of differences that it counts.
KINDS = {
    "missing": ("missing",),
    "in_doubt": ("in_doubt",),
    "received_again": ("duplicated",),
    "unacknowledged": ("unacknowledged",),
    "reordered": ("reordered",),
}


COLUMNS = tuple(each.name for each in fields(BrokerCounts))


def by_broker(acked: Sequence[BrokerCounts], partitions: Iterable[Partition]) -> tuple[BrokerCounts, ...]:
    """``acked`` with the differences of the partitions; empty unless two brokers or more led."""
    if len({each.broker for each in acked if each.broker >= 0}) < 2:
        return ()
    found: Counter[tuple[int, str]] = Counter()
    reordered = set[tuple[str, int]]()
    for p in partitions:
        for each in p.differences:
            if each.kind == "reordered" and (p.topic, p.partition) in reordered:
                continue  # of the log, so it is the same for every subscription
            for broker, count in each.brokers.items():
                found[broker, each.kind] += count
        if any(each.kind == "reordered" for each in p.differences):
            reordered.add((p.topic, p.partition))
    known = {each.broker: each for each in acked}
    return tuple(
        BrokerCounts(
            broker,
            known[broker].partitions if broker in known else 0,
            known[broker].acked if broker in known else 0,
            **{column: sum(found[broker, kind] for kind in kinds) for column, kinds in KINDS.items()},
        )
        for broker in sorted({*known, *(broker for broker, _kind in found)})
    )
