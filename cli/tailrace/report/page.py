# SPDX-License-Identifier: Apache-2.0
"""Renders the report's page from the run's data."""

import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tailrace.marks.reading import Mark
from tailrace.page import frame
from tailrace.page.assets import Assets
from tailrace.page.specs import Spec, embedded
from tailrace.page.words import phase_words
from tailrace.queries.lateness import late_percentile
from tailrace.report import campaign, charts, configuration, facts, heat, logs, slowest, spread
from tailrace.report.data import RunData
from tailrace.report.episodes import Finding
from tailrace.report.parts import Parts
from tailrace.stages import SHORT

PERCENTILE_ROWS = (
    ("p50_us", "p50"),
    ("p75_us", "p75"),
    ("p90_us", "p90"),
    ("p95_us", "p95"),
    ("p99_us", "p99"),
    ("p99_9_us", "p99.9"),
    ("p99_99_us", "p99.99"),
    ("max_us", "max"),
)
STAGE_COLUMNS = (
    ("publish_delay", "delay", "delay"),
    ("publish_service", "service", "service"),
    ("publish", "publish", "publish"),
    ("end_to_end", "end-to-end", "e2e"),
)
# Counter → the streams with this counter; None for all.
AUDIT_COLUMNS = {
    "sent": ("publishes",),
    "acked": ("publishes",),
    "failed": ("publishes",),
    "received": ("deliveries",),
    "recorded": None,
    "lost": None,
    "stored": None,
}
QUERIES = (
    ("Summary", "run_summary_rollup"),
    ("Percentiles", "latency_percentiles --param source=rollup"),
    ("Exact percentiles", "latency_percentiles"),
    ("Percentile curve", "latency_curve"),
    ("Latency over time", "latency_stretches"),
    ("Heatmap", "latency_heatmap"),
    ("Throughput and backlog", "work_stretches"),
    ("Drive charts", "drive_stretches"),
    ("Latency beside the drive", "latency_beside_drive"),
    ("Correlation by lag", "latency_drive_correlation"),
    ("Phases", "phases"),
    ("Audit: counts", "audit_counts --param source=rollup"),
    ("Audit: rows counted", "audit_counts"),
    ("Audit: partitions", "audit_partitions"),
)


PLACES = (
    ("summary", "Summary"),
    ("latency", "Percentiles"),
    ("campaign", "Campaign"),
    ("time", "Over time"),
    ("drive", "Drive"),
    ("episodes", "Why"),
    ("logs", "Logs"),
    ("spread", "Brokers"),
    ("correlation", "Correlation"),
    ("audit", "Audit"),
    ("configuration", "Configuration"),
    ("sql", "SQL"),
    ("terms", "Terms"),
)
SPREAD_ROWS = (("p50_us", "p50"), ("p99_us", "p99"), ("p99_9_us", "p99.9"), ("p99_99_us", "p99.99"), ("max_us", "max"))


def render(data: RunData, parts: Parts, assets: Assets, now: datetime | None = None) -> str:
    """The whole HTML file as text."""
    timeline = charts.over_time(data)
    heats = [heat.spec(data, each) for each in parts.heat] if timeline else []
    drives = [(drive, charts.of_drive(data, drive)) for drive in data.drives if drive.device]
    curve = charts.percentile_curve(data)
    correlations = [
        (drive, spec, drive.strongest(charts.METRICS)) for drive in data.drives if (spec := charts.lags(drive))
    ]
    partitions = spread.spec(data, parts.spread)
    run_id = data.summary["run_id"]
    whole = parts.campaign
    absent = {name for name, part in (("campaign", whole), ("logs", parts.logs)) if not part}
    curves = whole.charts() if whole else []
    drawn = [*timeline, *heats, *(spec for _, specs in drives for spec in specs if timeline)]
    drawn += [*([curve] if curve else []), *curves, *([partitions] if partitions else [])]
    drawn += [spec for _, spec, _ in correlations]
    return frame.render(
        "tailrace.report",
        "report.html.j2",
        assets,
        now,
        data=data,
        run_id=run_id,
        run_argument=shlex.quote(run_id),
        page=_embedded(data, drawn, parts.episodes.findings, parts.marks),
        places=[place for place in PLACES if place[0] not in absent],
        header=facts.header(data),
        notices=facts.notices(data),
        unmeasured=facts.unmeasured(data),
        unread=parts.unread,
        rate=facts.rate(data),
        late=late_percentile(data.percentiles),
        worst=slowest.worst_second(data),
        audit=data.stored["audit"],
        timeline=timeline,
        heats=heats,
        drives=drives,
        curve=curve,
        campaign=whole,
        campaign_curves=curves,
        campaign_shown=campaign.SHOWN,
        episodes=parts.episodes,
        logs=parts.logs,
        complaints=logs.COMPLAINTS,
        marks=parts.marks,
        spread=parts.spread,
        spread_rows=SPREAD_ROWS,
        short=SHORT,
        spread_window=spread.window_words(parts.spread),
        partitions=partitions,
        correlations=correlations,
        percentile_rows=PERCENTILE_ROWS,
        stages=STAGE_COLUMNS,
        audit_columns=AUDIT_COLUMNS,
        queries=QUERIES,
        **configuration.sections(data),
    )


def _embedded(data: RunData, drawn: list[Spec], findings: Sequence[Finding], marks: Sequence[Mark]) -> dict[str, Any]:
    """The data for the page's scripts."""
    spans = [(each.name, phase_words(each.name), each.start, each.end) for each in data.phases]
    spans += [("episode", each.cause, each.start, each.end) for each in findings]
    spans += [("mark", each.text, each.start, each.end) for each in marks]
    return {
        "run": data.summary["run_id"],
        "origin": data.origin,
        "first": data.seconds.start,
        "count": len(data.seconds),
        "step": data.step,
        "phases": [
            {"name": name, "label": label, "start": round(start - data.origin, 6), "end": round(end - data.origin, 6)}
            for name, label, start, end in spans
        ],
        "charts": embedded(drawn),
    }
