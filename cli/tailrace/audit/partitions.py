# SPDX-License-Identifier: Apache-2.0
"""Judges offsets: what was acknowledged must have been received, once and in order."""

from collections import Counter
from collections.abc import Iterable

from tailrace.audit.evidence import Difference, Partition
from tailrace.audit.verdict import Failure

UNACKNOWLEDGED = "unacknowledged"

MEANING = {
    "missing": "acknowledged but never received",
    "duplicated": "received more than once",
    "acknowledged_twice": "stored as acknowledged more than once",
    "altered": "received with another producer or intended send than acknowledged",
    "reordered": "before its producer's message just below, by intended send",
}


def judge_partitions(
    partitions: Iterable[Partition], failed_sends: int
) -> tuple[list[Failure], list[str]]:
    """Failures and notes.

    A message received but never acknowledged is allowed when a send failed: the broker may have
    written it all the same. So a subscription may hold as many of them as sends failed.
    """
    failures: list[Failure] = []
    unacknowledged: Counter[int] = Counter()
    examples: dict[int, list[str]] = {}
    for p in partitions:
        for difference in p.differences:
            if difference.kind == UNACKNOWLEDGED:
                unacknowledged[p.subscription] += difference.offsets
                examples.setdefault(p.subscription, []).append(_offsets(p, difference))
            else:
                failures.append(_failure(p, difference))
        if not p.same and not p.differences:
            failures.append(_unexplained(p))
    notes: list[str] = []
    for subscription, count in sorted(unacknowledged.items()):
        text = (
            f"subscription {subscription}: {count} messages were received but never acknowledged, "
            f"{failed_sends} sends failed ({'; '.join(examples[subscription][:5])})"
        )
        if count > failed_sends:
            where = f"subscription {subscription}"
            failures.append(Failure(UNACKNOWLEDGED, where, failed_sends, count, text))
        else:
            notes.append(text)
    return failures, notes


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
