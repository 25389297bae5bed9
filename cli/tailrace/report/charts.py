# SPDX-License-Identifier: Apache-2.0
"""The charts of a report, as specifications for static/chart.js."""

from operator import itemgetter
from typing import Any

from tailrace.page.specs import MS_PER_US, Spec, chart, series
from tailrace.page.words import brief, elapsed
from tailrace.report.data import Drive, RunData
from tailrace.stages import title

# Column, label, shade, width and dash of each line, the highest percentile first.
PERCENTILES = (
    ("max_us", "max", 4, 1.0, "dotted"),
    ("p99_99_us", "p99.99", 4, 1.2, "solid"),
    ("p99_9_us", "p99.9", 3, 1.4, "solid"),
    ("p99_us", "p99", 2, 1.9, "solid"),
    ("p50_us", "p50", 1, 1.6, "solid"),
)
# An added line where a point is longer than a second.
WORST = ("worst_p99_us", "p99 of the worst second", 2, 1.0, "dashed")
CURVES = (
    ("end_to_end", "end-to-end", "e2e-2", "solid"),
    ("publish", "publish", "publish-2", "solid"),
    ("publish_service", "publish service", "service", "dashed"),
)
METRICS = {
    "flush_latency_ms": ("flush latency", "lag-1", "solid"),
    "write_latency_ms": ("write latency", "lag-2", "solid"),
    "queue_depth": ("queue depth", "lag-5", "solid"),
    "utilisation": ("utilisation", "target", "dashed"),
    "flushes_per_s": ("flushes per second", "lag-3", "dashed"),
    "written_bytes_per_s": ("bytes written per second", "lag-4", "dotted"),
}


def over_time(data: RunData) -> list[Spec]:
    """Latency and throughput, one value a second; charts without a value are left out."""
    drawn = [_latency(data, "end_to_end", "e2e"), _latency(data, "publish", "publish"), *_throughput(data)]
    kept = _with_values(data, drawn)
    return [spec | {"named": n == 0} for n, spec in enumerate(kept)]


def drive_charts(data: RunData, drive: Drive) -> list[Spec]:
    """One drive's metrics at the same seconds; charts without a value are left out."""

    def column(name: str) -> list[float | None]:
        return data.aligned(drive.rows, itemgetter(name))

    def line(part: str, title: str, unit: str, column_name: str, **more: Any) -> Spec:
        factor = more.pop("factor", 1)
        lines = [series(title.lower(), "drive-1", column(column_name), factor=factor)]
        name = f"drive-{drive.number}-{part}"
        query = f"drive_stretches{_stepped(data)}"
        return chart(name, title, unit, query, lines, height=104, **more)

    depth = line("queue", "Queue depth and utilisation", "requests in flight, %", "queue_depth")
    depth["series"][0]["label"] = "queue depth"
    busy = series("utilisation", "drive-2", column("utilisation"), factor=100)
    depth["series"].insert(0, busy | {"fill": True, "second": True, "width": 1})
    depth["second"] = {"range": [0, 100], "suffix": " %"}
    return _with_values(
        data,
        [
            line("flush-latency", "Flush latency", "ms", "flush_latency_ms", log="choice"),
            line("write-latency", "Write latency", "ms", "write_latency_ms", log="choice"),
            depth,
            line("flushes", "Flushes", "per second", "flushes_per_s"),
            line("written", "Written", "MB/s", "written_bytes_per_s", factor=1e-6, labelled=True),
        ],
    )


def percentile_curve(data: RunData) -> Spec | None:
    """x is 1/(1−p): each nine takes the same room."""
    points = sorted({percentile for curve in data.curve.values() for percentile in curve})
    if not points:
        return None
    lines = []
    for stage, label, colour, dash in CURVES:
        curve = data.curve.get(stage, {})
        values = [curve.get(percentile) for percentile in points]
        lines.append(series(label, colour, values, factor=MS_PER_US, dash=dash, width=2))
    x = [float(f"{100 / (100 - percentile):.6g}") for percentile in points]
    spec = chart("percentiles", "Percentile curve", "ms", "latency_curve", lines)
    spec |= {"kind": "percentile", "log": "always", "height": 330, "labelled": True, "x": x}
    last = {line["label"]: next((v for v in reversed(line["values"]) if v is not None), None) for line in lines}
    ends = ", ".join(f"{label} up to {brief(v / 1000)} ms" for label, v in last.items() if v is not None)
    return spec | {"summary": f"Latency by percentile, both axes logarithmic: {ends}."}


def lags(drive: Drive) -> Spec | None:
    """Correlation of end-to-end p99 with each metric of the drive by lag; None if no r is known."""
    lines, x = [], list(range(-10, 11))
    for metric, (label, colour, dash) in METRICS.items():
        by_lag = drive.correlation.get(metric, {})
        values = [by_lag[lag][0] if lag in by_lag else None for lag in x]
        if any(value is not None for value in values):
            lines.append(series(label, colour, values, dash=dash, width=1.8, points=True))
    if not lines:
        return None
    name = f"lags-{drive.number}"
    spec = chart(name, "Correlation by lag", "Pearson r", "latency_drive_correlation", lines)
    summary = "; ".join(
        f"{found.label}: strongest r {found.r:.2f} at lag {found.lag} s" for found in drive.strongest(METRICS)
    )
    chance = 2 / max(1, drive.points) ** 0.5
    spec |= {"kind": "lag", "range": [-1, 1], "x": x, "height": 270, "labelled": True}
    return spec | {"chance": round(min(1, chance), 3), "summary": summary}


def _latency(data: RunData, stage: str, hue: str) -> Spec:
    rows = data.latency.get(stage, {})
    lines = []
    for column, label, shade, width, dash in PERCENTILES + ((WORST,) if data.step > 1 else ()):
        values = data.aligned(rows, itemgetter(column))
        lines.append(series(label, f"{hue}-{shade}", values, factor=MS_PER_US, width=width, dash=dash))
    query = f"latency_stretches --param stage={stage}{_stepped(data)}"
    return chart(f"latency-{stage}", title(stage), "ms", query, lines, log="choice", height=190)


def _stepped(data: RunData) -> str:
    return f" --param step_s={data.step}" if data.step > 1 else ""


def _throughput(data: RunData) -> list[Spec]:
    def column(name: str) -> list[float | None]:
        return data.aligned(data.throughput, itemgetter(name))

    lines = [
        series("target", "target", column("target_per_s"), dash="dashed", width=1.4),
        series("acked", "publish-2", column("acked_per_s"), width=2),
        series("received", "e2e-2", column("received_per_s"), dash="dashed", width=1.6),
    ]
    if data.step > 1:
        low = column("acked_low_per_s")
        lines.append(series("acked in the slowest second", "publish-1", low, dash="dotted"))
    failed = column("failed_per_s")
    if any(failed):
        lines.append(series("failed", "fail", failed, width=2))
    query = f"work_stretches{_stepped(data)}"
    # A message may be received in the second before that of its acknowledgement.
    backlog = [series("backlog", "e2e-2", column("backlog"), width=1.8, floor=0)]
    return [
        chart("throughput", "Throughput", "messages per second", query, lines, height=130),
        chart(
            "backlog", "Backlog", "messages acknowledged and not yet received", query, backlog,
            height=110, labelled=True,
        ),
    ]  # fmt: skip


def _with_values(data: RunData, specs: list[Spec]) -> list[Spec]:
    kept = []
    for spec in specs:
        if all(value is None for line in spec["series"] for value in line["values"]):
            continue
        kept.append(spec | {"summary": _summary(data, spec)})
    return kept


def _summary(data: RunData, spec: Spec) -> str:
    """The chart in words, for screen readers."""
    clauses = []
    for line in spec["series"]:
        points = [(v * line["factor"], s) for v, s in zip(line["values"], data.seconds, strict=True) if v is not None]
        if points:
            (low, _), (high, at) = min(points), max(points, key=lambda point: point[0])
            clauses.append(f"{line['label']} {brief(low)} to {brief(high)}, highest at {elapsed(at)}")
    return f"{spec['title']}, {spec['unit']}, per second: {'; '.join(clauses)}."
