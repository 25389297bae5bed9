# SPDX-License-Identifier: Apache-2.0
"""The explanation of a run of hours: its lasting changes, and their order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from tailrace.explain import clock_steps, logs, missing_metrics
from tailrace.explain.explanation import window
from tailrace.explain.long_gaps import gaps
from tailrace.explain.reading import brokers
from tailrace.explain.shifts import Series, Shift, group_steps, reach, shifts, to_the_second
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark
from tailrace.queries.ask import Row, RunReader, concurrently, moment
from tailrace.stages import EXPLAINED

PERCENTILES = {"p50": 2, "p90": 10, "p99": 100, "p99_9": 1_000, "p99_99": 10_000}
"""Name → the fewest messages of a point for this percentile."""
SIGNALS = (
    *("drive_write_ms", "drive_read_ms", "drive_flush_ms", "drive_queue", "drive_busy_share"),
    *("drive_writes_per_s", "drive_written_mb_per_s", "drive_discards_per_s"),
    *("drive_reads_per_s", "drive_read_mb_per_s", "drive_flushes_per_s"),
    *("request_write_ms", "broker_sync_ms", "log_flush_ms", "broker_io_pressure"),
    *("produce_local_ms", "produce_queue_ms", "broker_gc_share", "broker_cpu_pressure"),
    *("segments_deleted_per_s", "host_busy_share", "host_steal_cores", "loader_lag_ms"),
)
POINTS = (10, 30, 60, 120, 300)
MOST_POINTS = 2_500
# One query reads samples of this span.
PART_S = 3 * 3600
# Log lines this long before and after a step are shown beside it.
LINES_S = 60
# A trend of a series that covers a smaller share is not called a trend of the run.
MOST = 0.8


@dataclass(frozen=True)
class LongExplanation:
    """``groups``: steps that happened together, in order; ``trends``: over the part of the run that
    ``covers`` states; ``marks``: shown beside a step, never evidence; ``logged``: the log lines around
    each group, empty for a run without logs."""

    reader: RunReader
    start: int
    end: int
    point_s: int
    series: list[Series]
    groups: list[list[Shift]]
    trends: list[Shift]
    unseen: list[str]
    marks: Sequence[Mark]
    logged: Sequence[logs.LogExcerpt] = ()

    def host_of(self, series: Series) -> str:
        """The host to name beside a series; empty if the run has a single known host."""
        hosts = {each.host for each in self.series if each.host}
        return series.host if len(hosts) > 1 else ""

    def covers(self, series: Series) -> float:
        """The share of the run for which the series has values."""
        return min(1.0, len(series.times) * self.point_s / (self.end - self.start))

    def with_logs(self) -> Iterator[tuple[list[Shift], logs.LogExcerpt | None]]:
        """Each group with the log lines around it."""
        return zip_longest(self.groups, self.logged)

    def marks_beside(self, group: Sequence[Shift]) -> Sequence[Mark]:
        """The marks at the time of a group, which is known at least to a point."""
        first, last = reach(group)
        return marks.beside(self.marks, first - self.point_s, last + self.point_s)


def explain_long(reader: RunReader) -> LongExplanation:
    """Find steps and trends in the measure phase. Raises BadInput if there is nothing to explain."""
    start, end = window(reader)
    point_s = next((p for p in POINTS if (end - start) / p <= MOST_POINTS), POINTS[-1])
    series, unseen = _latencies(reader, point_s)
    series += _signals(reader, start, end, point_s)
    found = [each for one in series for each in shifts(one, point_s)]
    steps = [each for each in found if each.kind == "step"]
    groups = group_steps(to_the_second(reader, steps, point_s), point_s)
    trends = [each for each in found if each.kind == "trend"]
    known = brokers(reader)
    counts = reader.ask("broker_log_counts")
    missing = gaps(reader, start, end, _drives(series), point_s)
    unseen += missing_metrics.sentences(missing, known)
    unseen += clock_steps.read(reader).sentences()
    unseen += logs.uncollected(counts, [each.host for each in known])
    logged = [
        logs.between(reader, first - LINES_S, last + LINES_S) for first, last in (map(reach, groups) if counts else ())
    ]
    marked = marks.read(reader.ask)
    return LongExplanation(reader, start, end, point_s, series, groups, trends, unseen, marked, logged)


def _drives(series: Iterable[Series]) -> dict[tuple[str, str], tuple[int, int]]:
    """(host, device) → times of its first and last point."""
    times: dict[tuple[str, str], list[int]] = {}
    for one in series:
        if one.device and one.times:
            times.setdefault((one.host, one.device), []).extend((one.times[0], one.times[-1]))
    return {drive: (min(found), max(found)) for drive, found in times.items()}


def _latencies(reader: RunReader, point_s: int) -> tuple[list[Series], list[str]]:
    series, left_out = [], []
    for stage in EXPLAINED:
        rows = reader.ask("latency_points", stage=stage, point_s=point_s)
        typical = sorted(row["events"] for row in rows)[len(rows) // 2] if rows else 0
        for name, needed in PERCENTILES.items():
            if typical < needed:
                short = name.replace("_", ".")
                left_out.append(f"{short} of {stage}: a point of {point_s} s has {typical} messages")
                continue
            times = [int(row["time"].timestamp()) for row in rows]
            values = [row[f"{name}_us"] / 1000 for row in rows]
            query = reader.command("latency_points", stage=stage, point_s=point_s)
            series.append(Series(f"{stage}_{name}_ms", "ms", "", "", -1, times, values, query))
    return series, left_out


def _signals(reader: RunReader, start: int, end: int, point_s: int) -> list[Series]:
    """Read some hours at a time, so that a run of days needs no more memory than a run of hours."""
    found: dict[tuple[str, str, str, str, int], dict[int, float]] = {}
    names = ",".join(SIGNALS)
    first = -(-start // point_s) * point_s
    parts = []
    for part in range(start // 3600 * 3600, end, PART_S):
        since, to = max(part, first), min(part + PART_S - 1, end // point_s * point_s - 1)
        if since <= to:
            parts.append({"since": moment(since), "to": moment(to)})

    def read(part: dict[str, str]) -> list[Row]:
        return reader.ask("signal_points", signals=names, point_s=point_s, **part)

    with concurrently() as threads:
        for row in chain.from_iterable(threads.map(read, parts)):
            key = tuple(row[column] for column in ("signal", "unit", "host", "device", "broker"))
            found.setdefault(key, {})[int(row["time"].timestamp())] = row["value"]
    series = []
    for (name, unit, host, device, broker), points in found.items():
        query = reader.command("signal_points", signals=name, point_s=point_s)
        times = sorted(points)
        values = [points[at] for at in times]
        series.append(Series(name, unit, host, device, broker, times, values, query))
    return series
