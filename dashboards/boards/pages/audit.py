# SPDX-License-Identifier: Apache-2.0
"""Is every message accounted for?"""

from typing import Any

from boards import links
from boards.board import Section, assemble
from boards.panels import grid
from boards.rendering import rows
from boards.targets import sql_table

COUNTS = ["worker", "stream", "sent", "acked", "failed", "aborted", "unsent", "received", "redelivered", "foreign"]


def verdict() -> Section:
    """The stored verdict, and what workers counted beside what is stored."""
    panels = [
        grid(
            "Audit",
            "The stored verdict, each number that is not what it should be, and allowed oddities.",
            sql_table(rows("audit_findings", ["kind", "check", "place", "expected", "actual", "text"])),
        ),
        grid(
            "Counted and stored",
            "What workers counted (ledger) beside what the rollup holds. Sound: sent = acked + failed, "
            "recorded = stored + lost, lost = 0. Rows and reasons: below, where every message is read.",
            sql_table(
                rows(
                    "audit_counts",
                    ["worker", "stream", "sent", "acked", "failed", "received", "recorded", "stored", "lost"],
                    source="rollup",
                )
            ),
        ),
        grid(
            "Never sent",
            "Messages that were due and never sent, and why.",
            sql_table(rows("audit_unsent", ["worker", "reason", "messages", "from_time", "to_time"])),
            span=12,
        ),
    ]
    return Section("The run", panels)


def clocks_and_metrics() -> Section:
    """What the clocks and the metrics of the run cannot tell."""
    panels = [
        grid(
            "Clocks",
            "Messages received before they were due: the clocks of two hosts differ by at least so much.",
            sql_table(rows("audit_clocks", ["worker", "messages", "most_us"])),
        ),
        grid(
            "What the metrics cannot tell",
            "Gaps, counters that began anew, drives that came or went, probes that refused.",
            sql_table(rows("metric_gaps", ["kind", "job", "host", "device", "from_time", "to_time", "detail"])),
        ),
    ]
    return Section("Clocks and metrics", panels)


def partitions() -> Section:
    """The same from single rows: loss, duplicates and order."""
    panels = [
        grid(
            "Counted and stored, by rows",
            "What workers counted (ledger) beside the rows that are stored. Sound: sent = acked + failed, "
            "recorded = stored + lost, lost = 0.",
            sql_table(
                rows(
                    "audit_counts",
                    [*COUNTS, "corrupt", "recorded", "stored", "lost"],
                    texts=["lost_reasons", "unknown"],
                )
            ),
        ),
        grid(
            "Rows and rollups",
            "Messages that the rollup holds beside the rows it was made from; they must be equal.",
            sql_table(rows("audit_rollups", ["worker", "rollup", "stage", "events", "stored"])),
        ),
        grid(
            "Loss and duplicates by partition",
            "Offsets acknowledged and never received, received twice, or received and never acknowledged. Raw rows.",
            sql_table(
                rows(
                    "delivery_faults",
                    [
                        "topic",
                        "partition",
                        "subscription",
                        "acked",
                        "received",
                        "missing",
                        "duplicates",
                        "unacknowledged",
                        "acknowledged_twice",
                    ],
                )
            ),
            links={
                "partition": [
                    links.row_link(links.MESSAGES, "Its messages", {"topic": "topic", "partition": "partition"})
                ]
            },
        ),
        grid(
            "Order",
            "Messages that lie behind one of the same producer that was due later.",
            sql_table(rows("reordering", ["topic", "partition", "messages", "reordered", "worst_us"])),
        ),
    ]
    return Section("Rows, partitions and order: reads every message", panels, folded=True)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    sections = [verdict(), clocks_and_metrics(), partitions()]
    about = "Recorded = stored + counted losses. Next: Messages, for one partition."
    return assemble(links.AUDIT, about, sections, to=(links.MESSAGES, links.RUN, links.PIPELINE))
