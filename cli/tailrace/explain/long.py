# SPDX-License-Identifier: Apache-2.0
"""Runs of hours: what changed for good, and in which order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from tailrace.explain import logs
from tailrace.explain.changes import changes, turning_point
from tailrace.explain.explanation import window
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
    *("request_write_ms", "broker_sync_ms", "log_flush_ms", "broker_io_pressure"),
    *("produce_local_ms", "produce_queue_ms", "broker_gc_share", "broker_cpu_pressure"),
    *("segments_deleted_per_s", "host_busy_share", "host_steal_cores", "loader_lag_ms"),
)
# What a value of this unit may be without mattering; added before the logarithm.
FLOORS = {"ms": 0.05, "share": 0.02, "cores": 0.02, "per s": 1.0, "MB/s": 0.1, "requests": 0.05}
POINTS = (10, 30, 60, 120, 300)
MOST_POINTS = 2_500
# Changes this close to each other are one event. Of a point's length, at least of this time.
TOGETHER_POINTS, TOGETHER_S = 15, 300
# Samples of this time are read by one query, and so many queries asked at the same time.
PART_S = 3 * 3600
AT_ONCE = 2
# Seconds looked at on either side to see who moved first.
CLOSE_S = 600
# Lines of logs this long before and after a step are shown beside it.
LINES_S = 60


@dataclass(frozen=True)
class Series:
    """Values by point; ``times`` are seconds since 1970, one for each value."""

    name: str
    unit: str
    host: str
    device: str
    broker: int
    times: Sequence[int]
    values: Sequence[float]
    query: str


@dataclass(frozen=True)
class Moved:
    """One series that changed. ``at``: seconds since 1970; ``exact``: known to the second."""

    series: Series
    kind: str
    at: int
    before: float
    after: float
    exact: bool = False

    @property
    def ratio(self) -> float:
        floor = FLOORS[self.series.unit]
        return (self.after + floor) / (self.before + floor)


@dataclass(frozen=True)
class Long:
    """``events``: steps that came together, the first to move first; ``trends``: over the run;
    ``marks``: what people noted, to be told beside a step, nothing else rests on them; ``logged``:
    of each event the lines around it, none of a run without logs."""

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


def explain_long(asker: Asker) -> Long:
    """Find steps and trends of a run's measure phase. Raises BadInput without one."""
    start, end = window(asker)
    point_s = next((p for p in POINTS if (end - start) / p <= MOST_POINTS), POINTS[-1])
    series, unseen = _latencies(asker, point_s)
    series += _signals(asker, start, end, point_s)
    moved = [each for one in series for each in _changes(one)]
    steps = sorted((each for each in moved if each.kind == "step"), key=lambda each: each.at)
    events = [_ordered(asker, event) for event in _together(steps, point_s)]
    trends = [each for each in moved if each.kind == "trend"]
    counts = asker.ask("broker_log_counts")
    unseen += logs.uncollected(counts, [each.host for each in brokers(asker)])
    # Where a step is known to a point only, it may have been anywhere in it.
    logged = [
        logs.between(asker, event[0].at - LINES_S - point_s, event[-1].at + LINES_S)
        for event in (events if counts else ())
    ]
    marked = marks.read(asker.ask)
    return Long(asker, start, end, point_s, series, events, trends, unseen, marked, logged)


def _latencies(asker: Asker, point_s: int) -> tuple[list[Series], list[str]]:
    series, unseen = [], []
    for stage in STAGES:
        rows = asker.ask("latency_points", stage=stage, point_s=point_s)
        usual = sorted(row["events"] for row in rows)[len(rows) // 2] if rows else 0
        for name, needed in PERCENTILES.items():
            if usual < needed:
                told = name.replace("_", ".")
                unseen.append(f"{told} of {stage}: a point of {point_s} s has {usual} messages")
                continue
            times = [int(row["time"].timestamp()) for row in rows]
            values = [row[f"{name}_us"] / 1000 for row in rows]
            query = asker.command("latency_points", stage=stage, point_s=point_s)
            series.append(Series(f"{stage}_{name}_ms", "ms", "", "", -1, times, values, query))
    return series, unseen


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

    with at_once(AT_ONCE) as threads:
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


def _changes(series: Series) -> Iterable[Moved]:
    for change in changes(series.values, FLOORS[series.unit]):
        at = series.times[change.at]
        yield Moved(series, change.kind, at, change.before, change.after)


def _together(steps: Sequence[Moved], point_s: int) -> list[list[Moved]]:
    events: list[list[Moved]] = []
    for step in steps:
        if events and step.at - events[-1][0].at <= max(TOGETHER_POINTS * point_s, TOGETHER_S):
            events[-1].append(step)
        else:
            events.append([step])
    return events


def _ordered(asker: Asker, event: list[Moved]) -> list[Moved]:
    """The same, each with the second in which it moved where seconds are known."""
    first, last = event[0].at - CLOSE_S, event[-1].at + CLOSE_S
    rows = asker.ask("signals_per_second", since=moment(first), to=moment(last))
    seconds: dict[tuple[str, str, str, int], list[tuple[int, float]]] = {}
    for row in rows:
        key = (row["signal"], row["host"], row["device"], row["broker"])
        seconds.setdefault(key, []).append((int(row["time"].timestamp()), row["value"]))
    ordered = []
    for moved in event:
        series = moved.series
        key = (series.name, series.host, series.device, series.broker)
        known = seconds.get(key, [])
        if len(known) >= CLOSE_S / 20:
            values = [value for _, value in known]
            at = known[turning_point(values, FLOORS[series.unit])][0]
            moved = replace(moved, at=at, exact=True)
        ordered.append(moved)
    # What is known to a minute only cannot be first.
    return sorted(ordered, key=lambda each: (not each.exact, each.at))
