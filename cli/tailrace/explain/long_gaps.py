# SPDX-License-Identifier: Apache-2.0
"""The gaps in the metrics of a run of hours, read some hours at a time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from tailrace.queries.ask import Row, RunReader, concurrently, moment

# One query reads samples of this span.
PART_S = 3 * 3600
# Parts overlap, so that a gap at a border is inside of one part.
OVERLAP_S = 20
# A job has a gap if it has no samples for longer between two parts, or at the ends of the run.
SILENT_S, SILENT_AT_ENDS_S = 2.5, 5

Drives = Mapping[tuple[str, str], tuple[int, int]]


def gaps(reader: RunReader, start: int, end: int, drives: Drives, point_s: int) -> list[Row]:
    """The rows of ``metric_gaps`` for the whole run. One query for all of it would need too much memory.
    ``drives``: (host, device) → times of its first and last point, seconds since 1970."""
    times = [(at - OVERLAP_S, min(at + PART_S, end)) for at in range(start, end, PART_S)]

    def read(part: tuple[int, int]) -> list[Row]:
        return reader.ask("metric_gaps", since=moment(part[0]), to=moment(part[1]))

    with concurrently() as threads:
        rows = [row for part in threads.map(read, times) for row in part]
    return merged(rows, start, end, drives, point_s)


def merged(rows: Sequence[Row], start: int, end: int, drives: Drives, point_s: int) -> list[Row]:
    """Merges the rows of the parts, which are in order of time."""
    present = [row for row in rows if row["kind"] == "present"]
    found = [row for row in rows if row["kind"] in ("present", "reset", "unsynchronised")]
    # A gap that is open at one end of a part may continue in the next part; ``_silent`` finds those.
    found += [r for r in rows if r["kind"] == "gap" and r["from_time"] and r["to_time"]]
    found += _silent(present, start, end)
    found += _absent(rows, drives, point_s)
    # A probe without permission has none in any part.
    parts = Counter((row["job"], row["host"]) for row in present)
    refused = [row for row in rows if row["kind"] == "refused"]
    times = Counter((row["job"], row["host"], _metric(row)) for row in refused)
    found += [row for row in refused if times[row["job"], row["host"], _metric(row)] == parts[row["job"], row["host"]]]
    unique = {(r["kind"], *_source(r), r["device"], _span(r)): r for r in found}
    return sorted(unique.values(), key=_order)


def _order(row: Row) -> tuple[str, float]:
    time = row["from_time"] or row["to_time"]
    return row["kind"], time.timestamp() if time else 0.0


def _source(row: Row) -> tuple[str, str, str]:
    return row["job"], row["host"], row["broker"]


def _metric(row: Row) -> str:
    return str(row["detail"]).partition(":")[0]


def _span(row: Row) -> object:
    """The times that distinguish two rows of one kind and source."""
    return (row["from_time"], row["to_time"]) if row["kind"] in ("gap", "reset") else None


def _silent(present: Iterable[Row], start: int, end: int) -> Iterator[Row]:
    """Gaps of jobs that span a border of parts or an end of the run."""
    spans: dict[tuple[str, str, str], list[Row]] = {}
    for row in present:
        spans.setdefault(_source(row), []).append(row)
    for rows in spans.values():
        first, last = rows[0]["from_time"], rows[-1]["to_time"]
        if first.timestamp() - start > SILENT_AT_ENDS_S:
            yield _gap(rows[0], None, first)
        for one, other in pairwise(rows):
            if (other["from_time"] - one["to_time"]).total_seconds() > SILENT_S:
                yield _gap(one, one["to_time"], other["from_time"])
        if end - last.timestamp() > SILENT_AT_ENDS_S:
            yield _gap(rows[-1], last, None)


def _absent(rows: Iterable[Row], drives: Drives, point_s: int) -> Iterator[Row]:
    """Drives that appeared for the first time, disappeared for good, or were absent across a border."""
    went: dict[tuple[str, str], Row] = {}
    for row in rows:
        drive = row["host"], row["device"]
        if row["kind"] == "went":
            went[drive] = row
        elif row["kind"] == "came":
            first, _ = drives.get(drive, (None, None))
            if drive in went:
                yield _gap(row, went.pop(drive)["from_time"], row["to_time"])
            elif first is None or first + 2 * point_s > row["to_time"].timestamp():
                yield row
    for drive, row in went.items():
        _, last = drives.get(drive, (None, None))
        if last is None or last <= row["from_time"].timestamp():
            yield row


def _gap(row: Row, since: datetime | None, to: datetime | None) -> Row:
    return row | {"kind": "gap", "from_time": since, "to_time": to, "detail": ""}
