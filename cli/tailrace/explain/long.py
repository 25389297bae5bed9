# SPDX-License-Identifier: Apache-2.0
"""Runs of hours: what changed for good, and in which order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from tailrace.explain import clocks, logs, unseen
from tailrace.explain.explanation import window
from tailrace.explain.long_gaps import gaps
from tailrace.explain.moved import Moved, Series, movements, reach, to_the_second, together
from tailrace.explain.reading import Asker, at_once, brokers, moment
from tailrace.explain.signals import Row
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark

PERCENTILES = {"p50": 2, "p90": 10, "p99": 100, "p99_9": 1_000, "p99_99": 10_000}
"""Name → fewest messages of a point for which it says something."""
STAGES = ("publish", "end_to_end")
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
# Samples of this time are read by one query.
PART_S = 3 * 3600
# Lines of logs this long before and after a step are shown beside it.
LINES_S = 60
# A series that has values for less of the run shows no trend of the run.
MOST = 0.8


@dataclass(frozen=True)
class Long:
    """``events``: steps that came together, the first to move first; ``trends``: over the run, or
    what ``covers`` says; ``marks``: what people noted, to be told beside a step, nothing else
    rests on them; ``logged``: of each event the lines around it, none of a run without logs."""

    asker: Asker
    start: int
    end: int
    point_s: int
    series: list[Series]
    events: list[list[Moved]]
    trends: list[Moved]
    unseen: list[str]
    marks: Sequence[Mark]
    logged: Sequence[logs.Logged] = ()

    def host_of(self, series: Series) -> str:
        """The host to name beside a series: none in a run of which one host alone is known."""
        hosts = {each.host for each in self.series if each.host}
        return series.host if len(hosts) > 1 else ""

    def covers(self, series: Series) -> float:
        """The share of the run for which the series has values."""
        return min(1.0, len(series.times) * self.point_s / (self.end - self.start))


def explain_long(asker: Asker) -> Long:
    """Find steps and trends of a run's measure phase. Raises BadInput without one."""
    start, end = window(asker)
    point_s = next((p for p in POINTS if (end - start) / p <= MOST_POINTS), POINTS[-1])
    series, told = _latencies(asker, point_s)
    series += _signals(asker, start, end, point_s)
    moved = [each for one in series for each in movements(one, point_s)]
    steps = [each for each in moved if each.kind == "step"]
    events = together(to_the_second(asker, steps, point_s), point_s)
    trends = [each for each in moved if each.kind == "trend"]
    of = brokers(asker)
    counts = asker.ask("broker_log_counts")
    found = gaps(asker, start, end, _drives(series), point_s)
    told += unseen.sentences(found, [(each.host, each.device) for each in of])
    told += clocks.read(asker).sentences()
    told += logs.uncollected(counts, [each.host for each in of])
    logged = [
        logs.between(asker, first - LINES_S, last + LINES_S) for first, last in (map(reach, events) if counts else ())
    ]
    marked = marks.read(asker.ask)
    return Long(asker, start, end, point_s, series, events, trends, told, marked, logged)


def _drives(series: Iterable[Series]) -> dict[tuple[str, str], tuple[int, int]]:
    """(host, device) → times of its first and last point."""
    times: dict[tuple[str, str], list[int]] = {}
    for one in series:
        if one.device and one.times:
            times.setdefault((one.host, one.device), []).extend((one.times[0], one.times[-1]))
    return {drive: (min(found), max(found)) for drive, found in times.items()}


def _latencies(asker: Asker, point_s: int) -> tuple[list[Series], list[str]]:
    series, told = [], []
    for stage in STAGES:
        rows = asker.ask("latency_points", stage=stage, point_s=point_s)
        usual = sorted(row["events"] for row in rows)[len(rows) // 2] if rows else 0
        for name, needed in PERCENTILES.items():
            if usual < needed:
                short = name.replace("_", ".")
                told.append(f"{short} of {stage}: a point of {point_s} s has {usual} messages")
                continue
            times = [int(row["time"].timestamp()) for row in rows]
            values = [row[f"{name}_us"] / 1000 for row in rows]
            query = asker.command("latency_points", stage=stage, point_s=point_s)
            series.append(Series(f"{stage}_{name}_ms", "ms", "", "", -1, times, values, query))
    return series, told


def _signals(asker: Asker, start: int, end: int, point_s: int) -> list[Series]:
    """Some hours at a time, so that a run of days needs no more memory than one of hours."""
    found: dict[tuple[str, str, str, str, int], dict[int, float]] = {}
    names = ",".join(SIGNALS)
    first = -(-start // point_s) * point_s
    parts = []
    for part in range(start // 3600 * 3600, end, PART_S):
        since, to = max(part, first), min(part + PART_S - 1, end // point_s * point_s - 1)
        if since <= to:
            parts.append({"since": moment(since), "to": moment(to)})

    def read(part: dict[str, str]) -> list[Row]:
        return asker.ask("signal_points", signals=names, point_s=point_s, **part)

    with at_once() as threads:
        for row in chain.from_iterable(threads.map(read, parts)):
            key = tuple(row[column] for column in ("signal", "unit", "host", "device", "broker"))
            found.setdefault(key, {})[int(row["time"].timestamp())] = row["value"]
    series = []
    for (name, unit, host, device, broker), points in found.items():
        query = asker.command("signal_points", signals=name, point_s=point_s)
        times = sorted(points)
        values = [points[at] for at in times]
        series.append(Series(name, unit, host, device, broker, times, values, query))
    return series
