# SPDX-License-Identifier: Apache-2.0
"""Asks a claim's query about one run, and judges what it found."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.audit import transactions
from tailrace.certify.claims import Claim
from tailrace.queries.ask import rows

CHECKED = "checked"
ALLOWED, LEFT_OPEN = "allowed_", "untested_"
TRANSACTIONS = "audit_transactions"

HOLDS, BROKEN, UNTESTED = "holds", "does not hold", "not tested"


@dataclass(frozen=True)
class Finding:
    """Messages of one kind; ``example``: the first of them. ``left_open``: the run cannot show the claim for them."""

    kind: str
    messages: int
    example: str

    @property
    def allowed(self) -> bool:
        return self.kind.startswith(ALLOWED)

    @property
    def left_open(self) -> bool:
        return self.kind.startswith(LEFT_OPEN)

    @property
    def name(self) -> str:
        return self.kind.removeprefix(ALLOWED).removeprefix(LEFT_OPEN)

    @property
    def meaning(self) -> str:
        return "allowed" if self.allowed else "not tested" if self.left_open else "violation"


@dataclass(frozen=True)
class Check:
    """``messages`` were checked in ``seconds``; ``findings``: violations, what was not tested, what is allowed."""

    messages: int
    findings: Sequence[Finding]
    seconds: float

    @property
    def violations(self) -> list[Finding]:
        return [found for found in self.findings if not found.allowed and not found.left_open]

    @property
    def left_open(self) -> list[Finding]:
        return [found for found in self.findings if found.left_open]

    @property
    def verdict(self) -> str:
        if self.violations:
            return BROKEN
        return HOLDS if self.messages and not self.left_open else UNTESTED


def check(client: Client, claim: Claim, run_id: str) -> Check:
    """Check the claim over all messages of the run."""
    began = time.monotonic()
    if claim.query == TRANSACTIONS:
        messages, findings = _transactions(client, run_id)
    else:
        found = [Finding(**row) for row in rows(client, claim.query, run_id=run_id)]
        messages = sum(each.messages for each in found if each.kind == CHECKED)
        findings = [each for each in found if each.kind != CHECKED and each.messages]
    return Check(messages, sorted(findings, key=lambda each: (each.allowed, each.left_open)), time.monotonic() - began)


_COUNTS = (
    "SELECT (SELECT sum(messages) FROM v_transactions WHERE run_id = {run_id:String}),"
    " (SELECT count() FROM v_deliveries WHERE run_id = {run_id:String})"
)
# Of the kinds of the query audit_transactions; the others are violations.
_ALLOWED_KINDS = ("in_doubt_committed", "in_doubt_aborted")
_LEFT_OPEN_KINDS = (transactions.UNREAD, transactions.UNRECORDED)


def _transactions(client: Client, run_id: str) -> tuple[int, list[Finding]]:
    """What the audit of transactions finds; the messages of all transactions are checked."""
    ((sent, received),) = warehouse.select(client, _COUNTS, run_id=run_id)
    found = transactions.read_transactions(client, run_id, int(received))
    return int(sent), [_finding(each) for each in found]


def _finding(found: transactions.Found) -> Finding:
    prefix = ALLOWED if found.kind in _ALLOWED_KINDS else LEFT_OPEN if found.kind in _LEFT_OPEN_KINDS else ""
    last = found.first_sequence + found.first_messages - 1
    example = f"producer {found.first_producer}, transaction {found.first_number}"
    example += f", {found.first_outcome or 'no outcome'} at {found.first_time:%Y-%m-%d %H:%M:%S.%f} UTC"
    example += f", sequence {found.first_sequence} to {last}:"
    example += f" {found.first_received} of {found.first_messages} messages received"
    example += f" by subscription {found.subscription}"
    example += f", the first at {found.first_place}" if found.first_place else ""
    return Finding(f"{prefix}{found.kind}", max(found.messages, found.received), example)
