# SPDX-License-Identifier: Apache-2.0
"""The page: the run's data laid out by the templates."""

import shlex
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import jinja2

from tailrace import __version__
from tailrace.queries.lateness import late_percentile
from tailrace.report import charts, facts, words
from tailrace.report.assets import Assets
from tailrace.report.data import RunData

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
# Counter → the streams that have it; None for all.
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
    ("Percentiles", "latency_percentiles_rollup"),
    ("Exact percentiles", "latency_percentiles"),
    ("Percentile curve", "latency_curve"),
    ("Latency over time", "latency_percentiles_per_second"),
    ("Throughput", "throughput_per_second"),
    ("Drive charts", "latency_beside_drive"),
    ("Correlation by lag", "latency_drive_correlation"),
    ("Phases", "phases"),
    ("Audit: counts", "audit_counts_rollup"),
    ("Audit: rows counted", "audit_counts"),
    ("Audit: partitions", "audit_partitions"),
)


def render(data: RunData, assets: Assets, now: datetime | None = None) -> str:
    """The whole HTML file as text."""
    timeline = charts.over_time(data)
    drives = [(drive, charts.of_drive(data, drive)) for drive in data.drives if drive.device]
    curve = charts.percentile_curve(data)
    correlations = [
        (drive, spec, drive.strongest(charts.METRICS))
        for drive in data.drives
        if (spec := charts.lags(drive))
    ]
    drawn = [*timeline, *(spec for _, specs in drives for spec in specs if timeline)]
    drawn += [curve] if curve else []
    drawn += [spec for _, spec, _ in correlations]
    run_id = data.summary["run_id"]
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            data=data,
            run_id=run_id,
            run_argument=shlex.quote(run_id),
            version=__version__,
            written=words.moment(now or datetime.now(UTC)),
            assets=assets,
            licence=_licence(),
            page=_embedded(data, drawn),
            header=facts.header(data),
            notices=facts.notices(data),
            rate=facts.rate(data),
            late=late_percentile(data.percentiles),
            worst=facts.worst_second(data),
            audit=data.stored["audit"],
            timeline=timeline,
            drives=drives,
            curve=curve,
            correlations=correlations,
            percentile_rows=PERCENTILE_ROWS,
            stages=STAGE_COLUMNS,
            audit_columns=AUDIT_COLUMNS,
            queries=QUERIES,
            **facts.configuration(data),
        )
    )


def _embedded(data: RunData, drawn: list[charts.Spec]) -> dict[str, Any]:
    """What static/*.js reads; values without the summaries, which are in the HTML already."""
    labels = {"warmup": "warm-up"}
    phases = [
        {
            "name": phase.name,
            "label": labels.get(phase.name, phase.name),
            "start": round(phase.start - data.origin, 6),
            "end": round(phase.end - data.origin, 6),
        }
        for phase in data.phases
    ]
    return {
        "run": data.summary["run_id"],
        "origin": data.origin,
        "first": data.seconds.start,
        "count": len(data.seconds),
        "phases": phases,
        "charts": [{k: v for k, v in spec.items() if k != "summary"} for spec in drawn],
    }


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tailrace.report"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.Undefined,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.filters |= {
        "count": words.count,
        "latency": lambda us: words.latency(us if isinstance(us, int) else None),
        "exact_ms": words.exact_ms,
        "size": words.size,
        "signed": words.signed,
        "lag": words.lag,
    }
    return environment


def _licence() -> str:
    return files("tailrace.report").joinpath("static", "uplot-licence.txt").read_text("utf-8")
