# SPDX-License-Identifier: Apache-2.0
"""What the audit of a run found, and whether the faults of its round can cause it."""

import json
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from lab.chaos.messages import Allowed
from tailrace.contracts import LOSS_KILLED

# Checks that report lost rows: the ledger states them.
_INCOMPLETE = ("lost", LOSS_KILLED)
# Messages that a machine was too slow to send were neither lost nor recorded.
_SLOW_MACHINE = "unsent"
# By what a round allows, the checks that may fail for it.
_REDELIVERED = "duplicated"
_UNREAD = ("missing", "not_drained", "state")


@dataclass(frozen=True)
class Audited:
    """``verdict``: pass, incomplete or fail; ``causeless``: failures that no fault of the round can cause."""

    verdict: str
    causeless: tuple[str, ...]


def audited(client: Client, run_id: str, allowed: Allowed) -> Audited:
    """Judge every failure of the run's stored audit by its check."""
    rows = client.query("SELECT audit FROM runs FINAL WHERE run_id = {r:String}", parameters={"r": run_id}).result_rows
    text = str(rows[0][0]) if rows else ""
    return judged(text, allowed)


def judged(audit: str, allowed: Allowed) -> Audited:
    """``audit``: the JSON of ``runs.audit``; fail when it is empty."""
    if not audit:
        return Audited("fail", ("the run has no audit",))
    may = {_SLOW_MACHINE, *_INCOMPLETE}
    may |= {_REDELIVERED} if allowed.away else set()
    may |= set(_UNREAD) if allowed.ended is not None else set()
    failures = json.loads(audit)["failures"]
    causeless = tuple(each["text"] for each in failures if each["check"] not in may)
    incomplete = any(each["check"] in _INCOMPLETE for each in failures)
    return Audited("fail" if causeless else "incomplete" if incomplete else "pass", causeless)
