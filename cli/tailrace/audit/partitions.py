# SPDX-License-Identifier: Apache-2.0
"""Judges offsets: what was acknowledged must have been received, once and in order."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tailrace.audit.evidence import Difference, Partition
from tailrace.audit.verdict import Failure

UNACKNOWLEDGED = "unacknowledged"
ABORTED = "aborted"
DUPLICATED = "duplicated"

MEANING = {
    "missing": "acknowledged but never received",
    "duplicated": "received more than once",
    "acknowledged_twice": "stored as acknowledged more than once",
    "aborted_received": "received though its transaction was aborted",
    "altered": "received with another producer or intended send than acknowledged",
    "reordered": "before its producer's message just below, by intended send",
}


# What is counted apart and is no fault.
APART = {
    ABORTED: "acknowledged were in transactions that did not commit, and were not received",
    UNACKNOWLEDGED: "were received from existing topics without this run having written them",
    DUPLICATED: "were handed out more than once by a share group",
}


@dataclass(frozen=True)
class Allowed:
    """Counts of the load generator's that explain differences.

    ``failed_sends``: so many messages may be in the log without an acknowledgement. ``aborted``: so
    many acknowledged ones are in transactions that did not commit.
    """

    failed_sends: int = 0
    aborted: int = 0


def judge_partitions(
    partitions: Iterable[Partition], allowed: Allowed
) -> tuple[list[Failure], list[str]]:
    """Failures and notes.

    A message received but never acknowledged is allowed when a send failed: the broker may have
    written it all the same. So a subscription may hold as many of them as sends failed. In a topic
    that existed before the run they are expected. A share group may hand a message out again.
    """
    failures: list[Failure] = []
    apart: Counter[tuple[str, int]] = Counter()
    unacknowledged: Counter[int] = Counter()
    examples: dict[int, list[str]] = {}
    for p in partitions:
        for difference in p.differences:
            kind = difference.kind
            if _is_no_fault(kind, p):
                apart[kind, p.subscription] += difference.offsets
            elif kind == UNACKNOWLEDGED:
                unacknowledged[p.subscription] += difference.offsets
                examples.setdefault(p.subscription, []).append(_offsets(p, difference))
            else:
                failures.append(_failure(p, difference))
        if not p.same and not p.differences:
            failures.append(_unexplained(p))
    notes: list[str] = []
    for (kind, subscription), count in sorted(apart.items()):
        notes.append(f"subscription {subscription}: {count} messages {APART[kind]}")
        if kind == ABORTED and count > allowed.aborted:
            where = f"subscription {subscription}"
            text = f"{notes[-1]}, and only {allowed.aborted} were counted"
            failures.append(Failure(kind, where, allowed.aborted, count, text))
    for subscription, count in sorted(unacknowledged.items()):
        text = (
            f"subscription {subscription}: {count} messages were received but never acknowledged, "
            f"{allowed.failed_sends} sends failed ({'; '.join(examples[subscription][:5])})"
        )
        if count > allowed.failed_sends:
            where = f"subscription {subscription}"
            failures.append(Failure(UNACKNOWLEDGED, where, allowed.failed_sends, count, text))
        else:
            notes.append(text)
    return failures, notes


def _is_no_fault(kind: str, p: Partition) -> bool:
    return (
        kind == ABORTED
        or (kind == UNACKNOWLEDGED and p.existing)
        or (kind == DUPLICATED and p.share)
    )


def _place(p: Partition) -> str:
    return f"{p.topic}/{p.partition} subscription {p.subscription}"


def _offsets(p: Partition, difference: Difference) -> str:
    listed = ", ".join(map(str, difference.first_offsets))
    more = ", …" if difference.offsets > len(difference.first_offsets) else ""
    return f"{p.topic}/{p.partition} offsets {listed}{more}"


def _failure(p: Partition, difference: Difference) -> Failure:
    text = (
        f"{_place(p)}: {difference.kind} is {difference.offsets}, expected 0 "
        f"({MEANING.get(difference.kind, difference.kind)}: {_offsets(p, difference)})"
    )
    return Failure(difference.kind, _place(p), 0, difference.offsets, text)


def _unexplained(p: Partition) -> Failure:
    text = (
        f"{_place(p)}: {p.received} rows received, {p.acked} acknowledged, and the sums over their "
        "offsets differ"
    )
    return Failure("offsets", _place(p), p.acked, p.received, text)
