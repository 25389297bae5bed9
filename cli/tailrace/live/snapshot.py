# SPDX-License-Identifier: Apache-2.0
"""The current values of a run in VictoriaMetrics, read in one request."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tailrace.metrics.victoriametrics import VictoriaMetrics

# All values cover this span, s, because samples of a busy machine may come late.
WINDOW_S = 5
PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
HISTOGRAMS = {
    "publish": "tailrace_publish_latency_seconds_bucket",
    "end_to_end": "tailrace_end_to_end_latency_seconds_bucket",
    "publish_delay": "tailrace_publish_delay_seconds_bucket",
}
RATES = ("sent", "acked", "received")
DRIVE = {
    "write_ms": (1000, "write_time_seconds_total", "writes_completed_total"),
    "flush_ms": (1000, "flush_requests_time_seconds_total", "flush_requests_total"),
    "queue": (1, "io_time_weighted_seconds_total", ""),
    "busy": (1, "io_time_seconds_total", ""),
}


@dataclass(frozen=True)
class Drive:
    """One drive under a broker's log. Milliseconds, requests in flight, share of time."""

    host: str
    device: str
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """``rates``: messages a second; ``latencies``: stage → percentile → ms; ``alerts``: names of firing
    alerts. Values without a sample are left out."""

    rates: Mapping[str, float] = field(default_factory=dict)
    failed: float = 0
    unshipped: float = 0
    latencies: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    drives: Sequence[Drive] = ()
    alerts: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        """Whether no load generator sent metrics."""
        return not self.rates


def take(source: VictoriaMetrics, run_id: str, drives: Sequence[tuple[str, str]]) -> Snapshot:
    """``drives``: host and device under each broker's log. Raises VictoriaMetricsError."""
    rates: dict[str, float] = {}
    totals = {"failed": 0.0, "unshipped": 0.0}
    latencies: dict[str, dict[str, float]] = {}
    known: dict[tuple[str, str], dict[str, float]] = {drive: {} for drive in drives}
    alerts: set[str] = set()
    for labels, value in source.instant(expression(run_id, drives)):
        kind, _, name = labels["what"].partition(" ")
        if value != value:  # NaN, from a division by zero
            continue
        if kind == "rate":
            rates[name] = value
        elif kind == "total":
            totals[name] = value
        elif kind == "latency":
            latencies.setdefault(name, {})[labels["q"]] = 1000 * value
        elif kind == "alert":
            alerts.add(labels["alertname"])
        elif (place := (labels.get("host", ""), labels.get("device", ""))) in known:
            known[place][name] = value
    found = [Drive(*place, values) for place, values in known.items()]
    ordered = {name: rates[name] for name in RATES if name in rates}
    return Snapshot(ordered, totals["failed"], totals["unshipped"], latencies, found, sorted(alerts))


def expression(run_id: str, drives: Sequence[tuple[str, str]]) -> str:
    """A MetricsQL expression whose series have their meaning in the label ``what``."""
    parts = [f'label_set({text}, "what", "{what}")' for what, text in _parts(run_id, drives)]
    return f"union({', '.join(parts)})"


def _parts(run_id: str, drives: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    # A run_id has only letters, digits, points, dashes and underscores, so it needs no escape.
    mine = f'{{tailrace_run_id="{run_id}"}}'
    for name in RATES:
        yield f"rate {name}", f"sum(rate(tailrace_messages_{name}_total{mine}[{WINDOW_S}s]))"
    yield "total failed", f"sum(tailrace_messages_failed_total{mine})"
    yield "total unshipped", f"sum(tailrace_events_unshipped{mine})"
    # The percentile's name is the value of a label, so that each series carries its column's name.
    for stage, metric in HISTOGRAMS.items():
        buckets = f"sum by (vmrange) (increase({metric}{mine}[{WINDOW_S}s]))"
        for name, share in PERCENTILES.items():
            text = f'label_set(histogram_quantile({share}, {buckets}), "q", "{name}")'
            yield f"latency {stage}", text
    if drives:
        hosts, devices = ("|".join(sorted({re.escape(d[n]) for d in drives})) for n in (0, 1))
        where = f'{{host=~"{hosts}", device=~"{devices}"}}'.replace("\\", "\\\\")
        for name, (factor, time, number) in DRIVE.items():
            text = f"{factor} * sum by (host, device) (rate(node_disk_{time}{where}[{WINDOW_S}s]))"
            if number:
                text += f" / sum by (host, device) (rate(node_disk_{number}{where}[{WINDOW_S}s]))"
            yield f"drive {name}", text
    yield "alert", f'ALERTS{{alertstate="firing", run_id=~"{run_id}|"}}'
