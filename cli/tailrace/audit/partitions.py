# SPDX-License-Identifier: Apache-2.0
"""Checks offsets: each acknowledged message must have been received, once and in order."""

from collections import Counter
from collections.abc import Sequence

from tailrace.audit.inputs import AuditInputs
from tailrace.audit.partition_inputs import Difference, Partition
from tailrace.audit.unanswered import NOT_RECEIVED, unanswered_notes
from tailrace.audit.verdict import Failure

MISSING = "missing"
UNACKNOWLEDGED = "unacknowledged"
ABORTED = "aborted"
IN_DOUBT = "in_doubt"
DUPLICATED = "duplicated"

MEANING = {
    "missing": "acknowledged but never received",
    "duplicated": "received more than once",
    "acknowledged_twice": "stored as acknowledged more than once",
    "aborted_received": "received though its transaction was aborted",
    "altered": "received with another producer or intended send than acknowledged",
    "received_late": "received for the first time after a later message",
    "reordered": "before its producer's message just below, by intended send",
}
# Differences that are reported and are no failure.
NOTED = {
    ABORTED: "acknowledged were in aborted transactions, and were not received",
    IN_DOUBT: "acknowledged were in transactions in doubt, and were not received",
    UNACKNOWLEDGED: "were received from existing topics and not written by this run",
    DUPLICATED: "were delivered more than once by a share group",
}
PartitionDifference = tuple[Partition, Difference]


def check_partitions(inputs: AuditInputs) -> tuple[list[Failure], list[str]]:
    """Failures and notes.

    Runs of older versions do not state which message was received but never acknowledged: it is allowed when a send
    failed, because the broker may have written it, and a subscription may have as many of them as sends failed. In a
    topic that existed before the run they are expected.
    A share group may deliver a message again.

    If no more messages miss a row than rows were lost, it is unknown whether the broker lost any: that is a note. So
    is a message sent with acks=0 that a subscription did not receive, because no broker promised to keep it; a gap in
    its offsets, up to the last one that any subscription received, shows that the log has it and is a failure.
    """
    partitions = inputs.partitions
    failures: list[Failure] = []
    noted: Counter[tuple[str, int]] = Counter()
    unacknowledged: dict[int, list[PartitionDifference]] = {}
    missing: dict[int, list[PartitionDifference]] = {}
    not_received: dict[int, list[PartitionDifference]] = {}
    # Builds before the outcome of each transaction was stored counted those in doubt as aborted.
    most = {ABORTED: inputs.total("aborted"), IN_DOUBT: inputs.total("in_doubt") or inputs.total("aborted")}
    if inputs.killed:
        del most[IN_DOUBT]  # the open transactions of a killed load generator are in no count
    explained = _missing_is_explained(inputs)
    for p in partitions:
        for difference in p.differences:
            kind = difference.kind
            if kind == UNACKNOWLEDGED and inputs.identified:
                continue  # judged message by message, in duplicates.py
            if _is_expected(kind, p):
                noted[kind, p.subscription] += difference.offsets
            elif kind == UNACKNOWLEDGED:
                unacknowledged.setdefault(p.subscription, []).append((p, difference))
            elif kind == MISSING and explained:
                missing.setdefault(p.subscription, []).append((p, difference))
            elif kind == NOT_RECEIVED:
                not_received.setdefault(p.subscription, []).append((p, difference))
            else:
                failures.append(_failure(p, difference))
        if not p.same and not p.differences:
            failures.append(_unexplained(p))
    notes = list(unanswered_notes(partitions, not_received))
    for (kind, subscription), count in sorted(noted.items()):
        notes.append(f"subscription {subscription}: {count} messages {NOTED[kind]}")
        if count > most.get(kind, count):
            where = f"subscription {subscription}"
            text = f"{notes[-1]}, and only {most[kind]} were counted"
            failures.append(Failure(kind, where, most[kind], count, text))
    for subscription, found in sorted(missing.items()):
        notes.append(_unknown(subscription, found, inputs))
    for subscription, found in sorted(unacknowledged.items()):
        judged = _unacknowledged(subscription, found, inputs)
        if isinstance(judged, Failure):
            failures.append(judged)
        else:
            notes.append(judged)
    return failures, notes


def _missing_is_explained(inputs: AuditInputs) -> bool:
    found = [(p, each) for p in inputs.partitions for each in p.differences if each.kind == MISSING]
    counted = sum(each.offsets for _, each in found) - _after_last(found, inputs)
    return counted <= inputs.total("lost", "deliveries")


def _after_last(found: Sequence[PartitionDifference], inputs: AuditInputs) -> int:
    return sum(difference.after_last for _, difference in found) if inputs.killed else 0


def _unacknowledged(subscription: int, found: Sequence[PartitionDifference], inputs: AuditInputs) -> Failure | str:
    """A failure if there are more of these messages than sends without an acknowledgement, else a note."""
    where = f"subscription {subscription}"
    count = sum(difference.offsets for _, difference in found)
    failed, lost = inputs.total("failed"), inputs.total("lost", "publishes")
    last = _after_last(found, inputs)
    most = failed + lost + last
    never = "more often than sent" if found[0][0].unanswered else "but never acknowledged"
    text = f"{where}: {count} messages were received {never}, {failed} sends failed"
    if lost:
        text += f", {lost} rows of publishes were lost"
    if last:
        text += f", {last} were sent last, before the load generator was killed"
    text += f" ({_examples(found)})"
    return Failure(UNACKNOWLEDGED, where, most, count, text) if count > most else text


def _unknown(subscription: int, found: Sequence[PartitionDifference], inputs: AuditInputs) -> str:
    count = sum(difference.offsets for _, difference in found)
    first = min(difference.first_time for _, difference in found)
    last = max(difference.last_time for _, difference in found)
    lost = inputs.total("lost", "deliveries")
    why = f"{lost} rows of deliveries were lost"
    if inputs.killed:
        why += " at least, because the load generator was killed"
    sent = "sent" if found[0][0].unanswered else "acknowledged"
    return (
        f"subscription {subscription}: unknown whether {count} {sent} messages, intended "
        f"{first:%H:%M:%S.%f} to {last:%H:%M:%S.%f} UTC, were received: {why} ({_examples(found)})"
    )


def _examples(found: Sequence[PartitionDifference]) -> str:
    return "; ".join(_offsets(p, difference) for p, difference in found[:5])


def _is_expected(kind: str, p: Partition) -> bool:
    return kind in (ABORTED, IN_DOUBT) or (kind == UNACKNOWLEDGED and p.existing) or (kind == DUPLICATED and p.share)


def _where(p: Partition) -> str:
    return f"{p.topic}/{p.partition} subscription {p.subscription}"


def _offsets(p: Partition, difference: Difference) -> str:
    listed = ", ".join(map(str, difference.first_offsets))
    more = ", …" if difference.offsets > len(difference.first_offsets) else ""
    return f"{p.topic}/{p.partition} offsets {listed}{more}"


def _failure(p: Partition, difference: Difference) -> Failure:
    meaning = MEANING.get(difference.kind, difference.kind)
    if p.unanswered and difference.kind == MISSING:
        meaning = "in the log but never received"
    text = f"{_where(p)}: {difference.kind} is {difference.offsets}, expected 0 ({meaning}: {_offsets(p, difference)})"
    return Failure(difference.kind, _where(p), 0, difference.offsets, text)


def _unexplained(p: Partition) -> Failure:
    text = f"{_where(p)}: {p.received} rows received, {p.acked} acknowledged, and the sums over their offsets differ"
    return Failure("offsets", _where(p), p.acked, p.received, text)
