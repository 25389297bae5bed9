# SPDX-License-Identifier: Apache-2.0
"""Checks transactions: of each, all messages were received or none, as its outcome states."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from clickhouse_connect.driver.client import Client

from tailrace.audit.verdict import Failure
from tailrace.queries.ask import rows

# About a gigabyte of memory for the numbers received of each transaction; the engine uses disk beyond its share.
MESSAGES_AT_ONCE = 20_000_000

COMMITTED_LOST = "committed_lost"
TORN = "torn"
INCOMPLETE = (COMMITTED_LOST, TORN)
UNREAD = "unread"
UNRECORDED = "unrecorded"
DOUBT = ("in_doubt_committed", "in_doubt_aborted", "in_doubt_uncommitted_read")

FAILS = {
    COMMITTED_LOST: "committed, and none of their messages was received",
    TORN: "received in part",
    "aborted_read": "aborted, and received by a group that reads committed messages",
}


@dataclass(frozen=True)
class Found:
    """Transactions of one kind that one subscription received; the first of them by the time of its end.

    ``messages``: of all of them; ``received``: distinct messages received of them.
    """

    subscription: int
    kind: str
    transactions: int
    messages: int
    received: int
    first_producer: int
    first_number: int
    first_sequence: int
    first_messages: int
    first_received: int
    first_outcome: str
    first_place: str
    first_time: datetime

    @property
    def missing(self) -> int:
        return self.messages - self.received

    def plus(self, other: "Found") -> "Found":
        """Both slices of the producers together."""
        first, second = sorted((self, other), key=lambda found: (found.first_time, found.first_producer))
        sums = {name: getattr(first, name) + getattr(second, name) for name in ("transactions", "messages", "received")}
        return Found(**{**vars(first), **sums})


@dataclass(frozen=True)
class Open:
    """A worker's transactions that it began and whose outcome it did not record."""

    worker: int
    transactions: int
    killed: bool


def read_transactions(client: Client, run_id: str, messages: int) -> tuple[Found, ...]:
    """Query the warehouse, some producers at a time; ``messages``: how many were received."""
    slices = max(1, -(-messages // MESSAGES_AT_ONCE))
    found: dict[tuple[int, str], Found] = {}
    for number in range(slices):
        for row in rows(client, "audit_transactions", run_id=run_id, slices=str(slices), slice=str(number)):
            each = Found(**row)
            key = each.subscription, each.kind
            found[key] = found[key].plus(each) if key in found else each
    return tuple(found[key] for key in sorted(found))


def check_transactions(
    found: Sequence[Found],
    still_open: Sequence[Open],
    lost: int,
    lost_transactions: int,
    compacted: Mapping[int, int] | None = None,
) -> tuple[list[Failure], list[str]]:
    """Failures and notes.

    ``lost``: rows of deliveries that were lost; if they explain all that is missing, it is unknown whether messages
    were received. ``lost_transactions``: rows of transactions that were lost. ``compacted``: by subscription, messages
    that compaction may have removed before they were received; they too may explain all that is missing.
    """
    incomplete = sum(each.missing for each in found if each.kind in INCOMPLETE)
    unknown = INCOMPLETE if 0 < incomplete <= lost else ()
    replaced = {
        group
        for group, messages in (compacted or {}).items()
        if sum(each.missing for each in found if each.kind in INCOMPLETE and each.subscription == group) <= messages
    }
    rowless = bool(lost_transactions) or any(each.killed for each in still_open)
    judged: list[Failure | str] = []
    for each in found:
        if each.kind in unknown:
            why = f"{lost} rows of deliveries were lost"
            judged.append(f"{_where(each)}: unknown whether {_incomplete(each)} were received whole: {why}")
        elif each.kind in INCOMPLETE and each.subscription in replaced:
            why = "compaction may have removed messages of theirs first"
            judged.append(f"{_where(each)}: unknown whether {_incomplete(each)} were received whole: {why}")
        elif each.kind in FAILS:
            judged.append(_failure(each))
        elif each.kind == UNRECORDED:
            judged.append(_unrecorded(each, rowless))
    judged += [*_notes(found), *_open(still_open)]
    return [each for each in judged if isinstance(each, Failure)], [each for each in judged if isinstance(each, str)]


def _unrecorded(found: Found, explained: bool) -> Failure | str:
    text = f"{_where(found)}: {found.received} messages were received of transactions without a row"
    text += f" (producer {found.first_producer}, {found.first_place})"
    return text if explained else Failure(UNRECORDED, _where(found), 0, found.received, text)


def _open(still_open: Sequence[Open]) -> Iterator[Failure | str]:
    for each in still_open:
        text = f"worker {each.worker}: {each.transactions} transactions were begun and have no outcome"
        if each.killed:
            yield f"{text}: in doubt, because the load generator was killed"
        else:
            yield Failure("begun", f"worker {each.worker}", 0, each.transactions, text)


def _notes(found: Sequence[Found]) -> Iterator[str]:
    """What is reported and is no failure."""
    for each in found:
        if each.kind == UNREAD:
            why = "the run was cut short before it had read them"
            yield f"{_where(each)}: {_incomplete(each)} are not judged: {why}"
        elif each.kind == "aborted_read_uncommitted":
            text = f"{each.received} messages of {each.transactions} aborted transactions were received"
            yield f"{_where(each)}: {text}, as the group reads uncommitted messages"
    for subscription in sorted({each.subscription for each in found if each.kind in DOUBT}):
        count = dict.fromkeys(DOUBT, 0)
        count |= {each.kind: each.transactions for each in found if each.subscription == subscription}
        text = f"subscription {subscription}: {sum(count[kind] for kind in DOUBT)} transactions in doubt"
        if unknown := count["in_doubt_uncommitted_read"]:
            text += f": how {unknown} ended is unknown, as the group reads uncommitted messages"
        else:
            text += f": {count['in_doubt_committed']} turned out committed, {count['in_doubt_aborted']} aborted"
        yield text


def _where(found: Found) -> str:
    return f"subscription {found.subscription}"


def _incomplete(found: Found) -> str:
    return f"{found.transactions} transactions, {found.missing} of {found.messages} messages missing,"


def _failure(found: Found) -> Failure:
    number = found.first_number
    first = f"producer {found.first_producer} transaction {number}, {found.first_outcome}"
    last = found.first_sequence + found.first_messages - 1
    first += f" at {found.first_time:%H:%M:%S.%f} UTC: {found.first_received} of {found.first_messages} messages"
    first += f" received, sequence {found.first_sequence} to {last}"
    first += f", the first at {found.first_place}" if found.first_place else ""
    text = f"{_where(found)}: {found.kind} is {found.transactions}, expected 0"
    return Failure(
        found.kind, _where(found), 0, found.transactions, f"{text} (transactions {FAILS[found.kind]}; first: {first})"
    )
