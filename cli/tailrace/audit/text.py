# SPDX-License-Identifier: Apache-2.0
"""Prints an audit for people."""

from typing import TextIO

from tailrace.audit.by_broker import COLUMNS as BROKER_COLUMNS
from tailrace.audit.inputs import AuditInputs
from tailrace.audit.requests import request_lines
from tailrace.audit.verdict import Verdict
from tailrace.queries.render import show as show_table

COLUMNS = ("worker", "stream", "sent", "acked", "failed", "received", "recorded", "lost", "stored")
MOST_LINES = 50


def show(inputs: AuditInputs, verdict: Verdict, out: TextIO) -> None:
    """The counts as a table, the partitions in a line, then the verdict and each failure."""
    rows = [[getattr(counts, column) for column in COLUMNS] for counts in inputs.counts]
    show_table(COLUMNS, rows, out)
    wrong = sum(1 for p in inputs.partitions if p.differences or not p.same)
    out.write(f"partitions x subscriptions: {len(inputs.partitions)}, {wrong} differ\n")
    if verdict.brokers:
        out.write("by the partitions' leader at the time:\n")
        show_table(BROKER_COLUMNS, [[getattr(each, name) for name in BROKER_COLUMNS] for each in verdict.brokers], out)
    for line in request_lines(inputs.requests):
        out.write(f"{line}\n")
    for note in verdict.notes:
        out.write(f"note: {note}\n")
    if verdict.limits:
        out.write(f"not checked message by message: {'; '.join(verdict.limits)}\n")
    out.write(f"audit={verdict.word}\n")
    for failure in verdict.failures[:MOST_LINES]:
        out.write(f"  {failure.text}\n")
    if len(verdict.failures) > MOST_LINES:
        out.write(f"  … and {len(verdict.failures) - MOST_LINES} more, all in runs.audit\n")
