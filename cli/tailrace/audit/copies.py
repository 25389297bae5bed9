# SPDX-License-Identifier: Apache-2.0
"""Topics of a run that are copies of others: each message must have been received from its copy once."""

from collections.abc import Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from tailrace.audit.verdict import Failure
from tailrace.queries.ask import rows

LOST = "lost"
MEANING = {
    LOST: "acknowledged and never received from the copy",
    "duplicated": "received from several offsets of the copy",
    "unexplained": "received from the copy, and neither acknowledged nor failed",
}
ALLOWED = {
    "allowed_unacknowledged": "are in the copy although their sends failed: a failed send promises nothing",
    "allowed_redelivered": "were received again from their offset of the copy, as a group may after a rebalance",
}


@dataclass(frozen=True)
class Copied:
    """Messages of one kind, over all copies and subscriptions, with the first of them."""

    kind: str
    messages: int
    example: str


def read_copies(client: Client, run_id: str) -> tuple[Copied, ...]:
    """What became of the messages of topics that have copies; empty where none has."""
    found = tuple(Copied(**row) for row in rows(client, "certify_transform_exactly_once", run_id=run_id))
    return found if any(each.messages for each in found) else ()


def check_copies(found: Sequence[Copied], lost_rows: int) -> tuple[list[Failure], list[str]]:
    """Failures and notes. ``lost_rows``: rows that were not stored, which may be those of the missing messages."""
    failures: list[Failure] = []
    notes: list[str] = []
    for each in found:
        if each.kind == "checked":
            notes.append(f"copies of topics: {each.messages} acknowledged messages were compared with those received")
        elif each.kind in ALLOWED:
            notes.append(f"copies of topics: {each.messages} messages {ALLOWED[each.kind]} ({each.example})")
        elif each.messages <= lost_rows:
            notes.append(
                f"copies of topics: unknown whether {each.messages} messages were {MEANING[each.kind]}:"
                f" {lost_rows} rows were lost ({each.example})"
            )
        else:
            text = (
                f"copies of topics: {each.kind} is {each.messages}, expected 0 ({MEANING[each.kind]}: {each.example})"
            )
            failures.append(Failure(f"copy_{each.kind}", "copies", 0, each.messages, text))
    return failures, notes
