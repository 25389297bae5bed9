# SPDX-License-Identifier: Apache-2.0
"""Latency by broker and by partition, and how the backlog drained.

Only the raw rows have a message's partition, so for a large run only the time around its slowest point is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tailrace.page.specs import MS_PER_US, Spec, chart, series
from tailrace.page.words import brief, elapsed
from tailrace.queries.ask import Ask, Row
from tailrace.report.data import RunData

# At most this many messages are read from raw rows, which takes a second or two.
MOST_ROWS = 10_000_000
PARTITIONS_SHOWN = 400
LINES = (("max_us", "max", 4), ("p99_9_us", "p99.9", 3), ("p99_us", "p99", 2), ("p50_us", "p50", 1))


@dataclass(frozen=True)
class Spread:
    """Rows of ``latency_by_broker``, ``latency_by_group`` and ``backlog_drain``; ``window``: the seconds
    of the measure phase that were read, None for all; ``why``: the reason for this window."""

    brokers: Sequence[Row] = ()
    partitions: Sequence[Row] = ()
    drains: Sequence[Row] = ()
    window: tuple[int, int] | None = None
    why: str = ""
    unread: str = ""
    params: str = ""
    shown: int = field(default=PARTITIONS_SHOWN)


def read(data: RunData, ask: Ask) -> Spread:
    """Read both; empty for a run without a measured message."""
    if not data.measured:
        return Spread()
    rows = data.percentiles.get("publish", {}).get("events", 0)
    seconds = data.summary["measure_s"]
    window, why = None, ""
    if data.phases[-1].name == "measure" and data.unended:
        # The queries have no end of the phase.
        window, why = (0, max(1, int(seconds))), "which has no recorded end"
    if rows > MOST_ROWS:
        length = max(1, int(seconds * MOST_ROWS / rows))
        middle = _slowest(data)
        first = int(min(max(0, middle - length // 2), max(0, seconds - length)))
        window, why = (first, first + length), "around its slowest point"
    given = {"from_s": str(window[0]), "to_s": str(window[1])} if window else {}
    partitions = ask("latency_by_group", by="partition", stage="end_to_end", **given)
    drained = any(phase.name == "backlog_drain" for phase in data.phases)
    return Spread(
        brokers=ask("latency_by_broker", **given),
        partitions=sorted(partitions, key=lambda row: -row["p99_us"]),
        drains=ask("backlog_drain") if drained and rows <= MOST_ROWS else [],
        window=window,
        why=why,
        unread=(
            f"The drain by group needs every message: tailrace query backlog_drain --run {data.summary['run_id']}"
            if drained and rows > MOST_ROWS
            else ""
        ),
        params="".join(f" --param {key}={value}" for key, value in given.items()),
    )


def _slowest(data: RunData) -> int:
    """Seconds from the start of the measure phase to its slowest point."""
    rows = data.latency.get("end_to_end") or data.latency.get("publish") or {}
    measured = {at: row["p99_us"] for at, row in rows.items() if row["phase"] == "measure"}
    at = max(measured, key=lambda second: measured[second], default=data.origin)
    return max(0, at - data.origin)


def spec(data: RunData, spread: Spread) -> Spec | None:
    """End-to-end percentiles by partition, the slowest first; None for a single partition."""
    rows = spread.partitions[:PARTITIONS_SHOWN]
    if len(rows) < 2:
        return None
    topics = {row["topic"] for row in rows}
    names = [f"{row['topic']} {row['member']}" if len(topics) > 1 else str(row["member"]) for row in rows]
    lines = [
        series(label, f"e2e-{shade}", [row[column] for row in rows], factor=MS_PER_US, points=True)
        for column, label, shade in LINES
    ]
    query = f"latency_by_group --param by=partition{spread.params}"
    drawn = chart("partitions", "End-to-end latency by partition", "ms", query, lines)
    drawn |= {"kind": "place", "log": "always", "height": 230, "labelled": True}
    drawn |= {"x": list(range(len(rows))), "names": names}
    slowest, fastest = rows[0], rows[-1]
    range_words = (
        f"p99 from {brief(fastest['p99_us'] / 1000)} ms in partition {names[-1]} to"
        f" {brief(slowest['p99_us'] / 1000)} ms in partition {names[0]}"
    )
    return drawn | {"summary": f"End-to-end latency of {len(rows)} partitions, slowest first: {range_words}."}


def window_words(spread: Spread) -> str:
    """The part of the run that the tables cover."""
    if spread.window is None:
        return "Every message of the measure phase."
    first, last = (elapsed(at) for at in spread.window)
    return f"Messages intended from {first} to {last} of the measure phase, {spread.why}."
