# SPDX-License-Identifier: Apache-2.0
"""What an audit can say of messages that no broker acknowledged (acks=0). Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tailrace.audit.evidence import Difference, Partition

NOT_RECEIVED = "not_received"
MOST_PLACES = 5


def not_received(partitions: Iterable[Partition]) -> int:
    """Messages, counted once for each subscription that did not receive them."""
    differences = [each for p in partitions for each in p.differences]
    return sum(each.offsets for each in differences if each.kind == NOT_RECEIVED)


def unanswered_notes(
    partitions: Sequence[Partition],
    gone: Mapping[int, Sequence[tuple[Partition, Difference]]],
) -> Iterator[str]:
    """Findings about the brokers, not faults of the run.

    ``gone``: by subscription, what was not received and no log is known to have. Times are UTC.
    """
    if any(p.unanswered for p in partitions):
        yield (
            "acks=0: acked means handed to the socket, and no broker told an offset; messages are "
            "compared by producer and intended send, so loss on the way into the log is counted "
            "and is no failure; a gap in the offsets received, a duplicate and a message out of "
            "order are"
        )
    for subscription, found in sorted(gone.items()):
        sent = sum(p.acked for p in partitions if p.subscription == subscription)
        count = sum(difference.offsets for _, difference in found)
        first = min(difference.first_time for _, difference in found)
        last = max(difference.last_time for _, difference in found)
        places = "; ".join(f"{p.topic}/{p.partition} {d.offsets}" for p, d in found[:MOST_PLACES])
        more = "; …" if len(found) > MOST_PLACES else ""
        yield (
            f"subscription {subscription}: not received are {count} of {sent} messages sent with "
            f"acks=0, due {first:%H:%M:%S.%f} to {last:%H:%M:%S.%f} UTC ({places}{more}): lost on "
            "their way into the log, or after the last one received"
        )
