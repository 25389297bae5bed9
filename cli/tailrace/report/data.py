# SPDX-License-Identifier: Apache-2.0
"""The rows of one run's named queries, by stage, second and drive."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from tailrace.page import conditions
from tailrace.page.conditions import Conditions
from tailrace.page.curves import by_stage
from tailrace.queries.ask import Ask, Row, concurrently, json_object, moment
from tailrace.stages import CHARTED

# Points of a chart over time: a wide screen shows no more. In a longer run, a point is several seconds.
POINTS = 1_500
# One query reads latencies of this span, so that a run of days needs no more memory than a shorter one.
PART_S = 6 * 3600

DRIVE_METRICS = (
    "write_latency_ms",
    "queue_depth",
    "utilisation",
    "flushes_per_s",
    "flush_latency_ms",
    "written_bytes_per_s",
)


@dataclass(frozen=True)
class Phase:
    """Times are seconds since 1970 UTC."""

    name: str
    start: float
    end: float


@dataclass(frozen=True)
class Strongest:
    """The lag of the strongest correlation between a metric and the latency."""

    label: str
    r: float
    lag: int
    points: int
    at_zero: float | None


@dataclass
class Drive:
    """One drive under a broker's log.

    ``rows`` by second; ``correlation`` as metric → lag → (r, points).
    """

    number: int
    host: str
    device: str
    rows: dict[int, Row] = field(default_factory=dict)
    correlation: dict[str, dict[int, tuple[float | None, int]]] = field(default_factory=dict)

    @property
    def measured(self) -> bool:
        return any(row[name] is not None for row in self.rows.values() for name in DRIVE_METRICS)

    @property
    def points(self) -> int:
        """Pairs of seconds behind the correlation at lag 0."""
        return max((lags[0][1] for lags in self.correlation.values() if 0 in lags), default=0)

    def strongest(self, labels: Mapping[str, tuple[str, ...]]) -> list[Strongest]:
        """Per metric its strongest lag, the strongest metric first."""
        found = []
        for metric, lags in self.correlation.items():
            known = [(abs(r), -abs(lag), r, lag, n) for lag, (r, n) in lags.items() if r is not None]
            if known:
                _, _, r, lag, points = max(known)
                at_zero = lags.get(0, (None, 0))[0]
                found.append(Strongest(labels[metric][0], r, lag, points, at_zero))
        return sorted(found, key=lambda best: -abs(best.r))


@dataclass(frozen=True)
class RunData:
    """One run. Keys of ``latency``, ``throughput`` and of drives are seconds since 1970 UTC, each the first of ``step``
    seconds. ``errors``: errors of its load generators; ``unended``: no end of its last phase was recorded."""

    summary: Row
    stored: Row
    step: int
    phases: list[Phase]
    percentiles: dict[str, Row]
    curve: dict[str, dict[float, int]]
    latency: dict[str, dict[int, Row]]
    throughput: dict[int, Row]
    drives: list[Drive]
    audit_counts: list[Row]
    errors: list[Row]
    conditions: Conditions
    unended: bool

    @cached_property
    def origin(self) -> int:
        """The first second of the measure phase; of the run if it has none."""
        for phase in self.phases:
            if phase.name == "measure":
                return int(phase.start)
        return min(self._known_seconds, default=int(self.summary["started_time"].timestamp()))

    @cached_property
    def _known_seconds(self) -> set[int]:
        seconds = set(self.throughput)
        for rows in self.latency.values():
            seconds |= set(rows)
        return seconds

    @cached_property
    def seconds(self) -> range:
        """The time axis: every ``step``th second of the run, counted from ``origin``."""
        known = self._known_seconds
        if not known:
            return range(0, 0, self.step)
        return range(min(known) - self.origin, max(known) - self.origin + 1, self.step)

    @property
    def measured(self) -> bool:
        """Whether any message was intended in the measure phase."""
        return bool(self.percentiles)

    def aligned(self, rows: Mapping[int, Row], pick: Callable[[Row], Any]) -> list[Any]:
        """A value for each of ``seconds``; None where there is no row."""
        found = (rows.get(second + self.origin) for second in self.seconds)
        return [None if row is None else pick(row) for row in found]


def read(ask: Ask) -> RunData:
    """Run every named query of the report. Latencies come from rollups, not from messages."""
    stored = ask("run_manifest")[0]
    stored["manifest"] = json_object(stored["manifest"])
    stored["audit"] = json_object(stored["audit"])
    summary = ask("run_summary_rollup")[0]
    phases = ask("phases")
    step = _step(summary, phases)
    with concurrently(1) as beside:
        drives = beside.submit(_drives, ask, step)
        totals = beside.submit(ask, "latency_percentiles_rollup")
        curve = beside.submit(ask, "latency_curve")
        latency = _by_stage(_latencies(ask, phases, step))
        throughput = {_second(row["time"]): row for row in ask("work_stretches", step_s=step)}
    last = max([*throughput, *(second for rows in latency.values() for second in rows)], default=0)
    return RunData(
        summary=summary,
        stored=stored,
        step=step,
        phases=_phases(phases, last + step),
        percentiles={row["stage"]: row for row in totals.result()},
        curve=by_stage(curve.result()),
        latency=latency,
        throughput=throughput,
        drives=drives.result(),
        audit_counts=ask("audit_counts", source="rollup"),
        errors=ask("run_events", kind="error"),
        conditions=conditions.read(ask, stored["manifest"]),
        unended=_unended(phases),
    )


def _unended(phases: list[Row]) -> bool:
    """Whether the run goes on or was killed: then its last phase is not ``end``."""
    return bool(phases) and phases[-1]["phase"] != "end"


def _phases(rows: list[Row], last: float) -> list[Phase]:
    """All phases but ``end``. A phase without a recorded end lasts until the last stored second."""
    found = [
        Phase(row["phase"], row["start_time"].timestamp(), row["end_time"].timestamp())
        for row in rows
        if row["phase"] != "end"
    ]
    if _unended(rows):
        found[-1] = replace(found[-1], end=max(found[-1].end, last))
    return found


def _second(time: datetime) -> int:
    return int(time.timestamp())


def _by_stage(rows: Iterable[Row]) -> dict[str, dict[int, Row]]:
    stages: dict[str, dict[int, Row]] = {}
    for row in rows:
        stages.setdefault(row["stage"], {})[_second(row["time"])] = row
    return stages


def _step(summary: Row, phases: list[Row]) -> int:
    """Seconds that make one point of the charts over time."""
    times = [time.timestamp() for row in phases for time in (row["start_time"], row["end_time"])]
    if summary["state"] == "running":
        times.append(datetime.now(UTC).timestamp())
    return max(1, math.ceil((max(times) - min(times)) / POINTS)) if times else 1


def _latencies(ask: Ask, phases: list[Row], step: int) -> Iterator[Row]:
    """Rows of ``latency_stretches``; for a run of hours in parts that end with a point."""
    if step == 1 or not phases:
        for stage in CHARTED:
            yield from ask("latency_stretches", stage=stage, step_s=step)
        return
    part = PART_S // step * step
    first = int(min(row["start_time"].timestamp() for row in phases)) // part * part
    last = max(row["end_time"].timestamp() for row in phases)
    while first <= last:
        for stage in CHARTED:
            span = {"since": moment(first), "to": moment(first + part - 1)}
            yield from ask("latency_stretches", stage=stage, step_s=step, **span)
        first += part


def _drives(ask: Ask, step: int) -> list[Drive]:
    drives: dict[tuple[str, str], Drive] = {}
    for row in ask("broker_drives"):
        key = (row["host"], row["device"])
        drives.setdefault(key, Drive(len(drives), *key))
    for row in ask("drive_stretches", step_s=step):
        drives[row["host"], row["device"]].rows[_second(row["time"])] = row
    for row in ask("latency_drive_correlation"):
        found = drives.get((row["host"], row["device"]))
        if found:
            lags = found.correlation.setdefault(row["metric"], {})
            lags[row["lag_s"]] = (row["r"], row["points"])
    return list(drives.values())
