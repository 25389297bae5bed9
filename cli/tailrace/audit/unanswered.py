# SPDX-License-Identifier: Apache-2.0
"""Checks of messages that no broker acknowledged (acks=0). Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tailrace.audit.partition_inputs import Difference, Partition
from tailrace.audit.verdict import Failure

NOT_RECEIVED = "not_received"
NOT_DRAINED = "not_drained"
MOST_LISTED = 5


def not_received(partitions: Iterable[Partition]) -> int:
    """The number of messages not received, counted once per subscription."""
    differences = [each for p in partitions for each in p.differences]
    return sum(each.offsets for each in differences if each.kind == NOT_RECEIVED)


def unanswered_notes(
    partitions: Sequence[Partition], lost: Mapping[int, Sequence[tuple[Partition, Difference]]]
) -> Iterator[str]:
    """Notes about the brokers, not failures of the run.

    ``lost``: by subscription, the messages that were not received and that no log is known to have. Times are UTC.
    """
    unanswered = [p for p in partitions if p.unanswered]
    if unanswered:
        yield (
            "acks=0: acked means handed to the socket, and no broker returned an offset; messages are "
            "compared by producer and intended send, so loss on the way into the log is counted "
            f"and is no failure; {_what_fails(unanswered)}"
        )
    for subscription, found in sorted(lost.items()):
        sent = sum(p.acked for p in partitions if p.subscription == subscription)
        count = sum(difference.offsets for _, difference in found)
        first = min(difference.first_time for _, difference in found)
        last = max(difference.last_time for _, difference in found)
        counts = "; ".join(f"{p.topic}/{p.partition} {d.offsets}" for p, d in found[:MOST_LISTED])
        more = "; …" if len(found) > MOST_LISTED else ""
        yield (
            f"subscription {subscription}: not received are {count} of {sent} messages sent with "
            f"acks=0, intended {first:%H:%M:%S.%f} to {last:%H:%M:%S.%f} UTC ({counts}{more}): lost on "
            f"their way into the log, or {_or_where(found)}"
        )


def check_drain(partitions: Sequence[Partition], undrained: Sequence[str]) -> Iterator[Failure]:
    """Fails the run when messages that were not received may only have been late.

    ``undrained``: messages of load generators that did not wait until groups had read to the end.
    """
    count = not_received(partitions)
    if not undrained or not count:
        return
    reasons = "; ".join(list(dict.fromkeys(undrained))[:MOST_LISTED])
    text = (
        f"{count} messages sent with acks=0 were not received, and the drain ended at its limit "
        f"before all groups had read to the log's end ({reasons}): it is unknown whether the log has "
        "them"
    )
    yield Failure(NOT_DRAINED, "run", 0, count, text)


def _what_fails(unanswered: Sequence[Partition]) -> str:
    made = "a gap in the offsets received, a duplicate and a message out of order are"
    existed = "in topics that existed before, gaps and order prove nothing"
    if all(p.existing for p in unanswered):
        return f"a duplicate is; {existed}"
    return f"{made}; {existed}" if any(p.existing for p in unanswered) else made


def _or_where(found: Sequence[tuple[Partition, Difference]]) -> str:
    if any(p.existing for p, _ in found):
        return "out of it"
    return "after the last one that any subscription received"
