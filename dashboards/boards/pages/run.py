# SPDX-License-Identifier: Apache-2.0
"""A run from above: latency, rates, what went wrong, and when."""

from typing import Any

from boards import links
from boards.board import LIVE, Section, assemble, choice, from_query
from boards.panels import AnyPanel, graph, grid, heat
from boards.rendering import STAGE, TOPIC, Value, options, per_second, points, rows
from boards.targets import promql, sql_series, sql_table

STAGES = {
    "End to end": "end_to_end",
    "Publish": "publish",
    "Publish service time": "publish_service",
    "Publish delay": "publish_delay",
}
CURVE = {"p50": "p50_us", "p90": "p90_us", "p99": "p99_us", "p99_9": "p99_9_us", "p99_99": "p99_99_us", "max": "max_us"}
DOWN = [links.point_link(links.LATENCY_DRIVE), links.point_link(links.MESSAGES)]


def percentiles(stage: Value) -> Any:
    """p50 to p99.99 and the greatest, of the chosen topic."""
    return sql_series(points("latency_over_time", CURVE, stage=stage, topic=TOPIC))


def latency() -> Section:
    """Percentiles and heatmap, and the rates they were reached at."""
    panels = [
        grid(
            "Percentiles of the measure phase",
            "Of all messages due in the measure phase, from the rollup: within 0.4 % of the exact values.",
            sql_table(
                rows(
                    "latency_percentiles",
                    ["stage", "events", "p50_us", "p90_us", "p99_us", "p99_9_us", "p99_99_us", "max_us"],
                    source="rollup",
                )
            ),
            span=14,
            height=7,
        ),
        grid(
            "Rates by phase",
            "What each phase asked for and reached over its whole seconds, and seconds below 99 % of the target.",
            sql_table(
                rows(
                    "throughput_by_phase",
                    [
                        "phase",
                        "seconds",
                        "target_per_s",
                        "acked_per_s",
                        "received_per_s",
                        "failed_per_s",
                        "achieved",
                        "short_seconds",
                    ],
                )
            ),
            units={"achieved": "percentunit"},
            span=10,
            height=7,
        ),
        graph(
            "Latency",
            "Percentiles of the messages due in each point. Click a point: the drive, or the messages, of that minute.",
            "µs",
            percentiles(STAGE),
            log=True,
            span=24,
            height=10,
            links=DOWN,
        ),
        heat(
            "Latency heatmap",
            "How many messages had which latency. A row ends at the latency beside it, in ms; four rows to a doubling.",
            sql_series(points("latency_cells", ["events"], ["below_ms"], stage=STAGE, topic=TOPIC)),
            label="below_ms",
        ),
    ]
    return Section("Latency", panels)


def throughput_and_backlog() -> list[AnyPanel]:
    """Rates beside their target, and how late the load generator was."""
    return [
        graph(
            "Throughput against target",
            "Messages acknowledged and received per second beside the rate the workload asked for.",
            "cps",
            sql_series(
                per_second(
                    "throughput_per_second",
                    {"target": "target_per_s", "acknowledged": "acked_per_s", "received": "received_per_s"},
                    how="avg",
                )
            ),
            links=DOWN,
        ),
        graph(
            "Bytes",
            "Bytes of message values acknowledged and received per second.",
            "Bps",
            sql_series(
                per_second(
                    "throughput_per_second",
                    {"acknowledged": "acked_bytes_per_s", "received": "received_bytes_per_s"},
                    how="avg",
                )
            ),
        ),
        graph(
            "Publish delay",
            "Actual minus intended send: the load generator's own lateness. Above a few ms the broker is not to blame.",
            "µs",
            percentiles("publish_delay"),
            log=True,
        ),
        graph(
            "Backlog",
            "Messages not delivered yet (acknowledged × consumer groups − received): the maximum of each point.",
            "short",
            sql_series(per_second("backlog_per_second", {"backlog": "backlog"})),
        ),
        graph(
            "Load generator",
            "How late a sleeping thread of it woke at worst, and its longest garbage collection pause.",
            "ms",
            sql_series(
                per_second("loader_health", {"wake_late": "lag_max_ms", "gc_pause": "pause_max_ms"}, ["worker"])
            ),
        ),
    ]


def failures_and_events() -> list[AnyPanel]:
    """What went wrong, and what else happened."""
    return [
        graph(
            "Failures",
            "Messages that producers gave up on, per second.",
            "cps",
            sql_series(per_second("throughput_per_second", {"failed": "failed_per_s"}, how="avg")),
        ),
        grid(
            "Failures by class",
            "By phase and error class; source broker: produce requests that brokers refused.",
            sql_table(
                rows(
                    "failures_by_class",
                    ["source", "phase", "class", "events", "partitions", "first_time", "last_time", "p50_ms", "max_ms"],
                )
            ),
        ),
        grid(
            "Events",
            "Leader changes, rebalances, clock steps, errors, alerts and marks made by hand of this time range.",
            sql_table(rows("run_events", ["time", "kind", "name", "detail"], time="time")),
        ),
    ]


def live() -> Section:
    """Latency and rates while the run goes on."""
    panels = [
        graph(
            "p99 now",
            "p99 of the last 5 s while the run goes on, from the live histograms.",
            "s",
            promql('tailrace:publish_latency_seconds:p99{tailrace_run_id="$run"}', "publish p99"),
            log=True,
        ),
        graph(
            "Rates now",
            "Messages sent, acknowledged and received per second while the run goes on.",
            "cps",
            *(
                promql(
                    "sum by (tailrace_run_id) "
                    f'(rate(tailrace_messages_{what}_total{{tailrace_run_id="$run"}}[$__rate_interval]))',
                    what,
                    ref,
                )
                for what, ref in (("sent", "A"), ("acked", "B"), ("received", "C"))
            ),
        ),
    ]
    return Section("Live, from VictoriaMetrics", panels)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    variables = [
        choice("stage", "Latency", STAGES),
        from_query("topic", "Topic", options("run_topics", "topic", first="all")),
    ]
    load = Section("Load", [*throughput_and_backlog(), *failures_and_events()])
    sections = [latency(), load, live()]
    down = (links.LATENCY_DRIVE, links.MESSAGES, links.BROKERS, links.HOSTS, links.AUDIT, links.LONG_RUN, links.COMPARE)
    about = "One run from above. Next: Latency × drive for the cause, Messages for the messages themselves."
    return assemble(links.RUN, about, sections, variables=variables, to=down, refresh=LIVE)
