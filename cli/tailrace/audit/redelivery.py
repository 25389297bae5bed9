# SPDX-License-Identifier: Apache-2.0
"""Messages that a consumer group received twice: after a rebalance that is what at-least-once means. Pure."""

from dataclasses import replace

from tailrace.audit.inputs import AuditInputs
from tailrace.audit.partition_inputs import Difference, Partition, Redelivered

DUPLICATED = "duplicated"


def without_redelivered(inputs: AuditInputs) -> tuple[AuditInputs, list[str], int]:
    """The inputs without the duplicates that a rebalance explains; a note per subscription; the number of those."""
    partitions: list[Partition] = []
    counted: dict[int, tuple[int, int]] = {}
    for p in inputs.partitions:
        found = p.redelivered
        if p.share or found is None or found.offsets == found.unexplained:
            partitions.append(p)
            continue
        explained = found.offsets - found.unexplained
        messages, places = counted.get(p.subscription, (0, 0))
        counted[p.subscription] = (messages + explained, places + 1)
        partitions.append(_without(p, found))
    notes = [
        f"subscription {number}: {messages} messages of {places} partitions were redelivered after a rebalance: "
        "consumers commit at least once, so the next one starts at the committed offset"
        for number, (messages, places) in sorted(counted.items())
    ]
    return replace(inputs, partitions=tuple(partitions)), notes, sum(messages for messages, _ in counted.values())


def _without(p: Partition, found: Redelivered) -> Partition:
    rest: list[Difference] = []
    for each in p.differences:
        if each.kind != DUPLICATED:
            rest.append(each)
        elif found.unexplained:
            rest.append(replace(each, offsets=found.unexplained, first_offsets=found.first_unexplained))
    return replace(p, differences=tuple(rest), same=p.same or not rest)
