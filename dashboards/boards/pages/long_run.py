# SPDX-License-Identifier: Apache-2.0
"""A run of a day and more at a glance: where it stepped, and what stepped with it."""

from typing import Any

from boards import links
from boards.board import MarksBuilder, Section, assemble, choice
from boards.pages.run import CURVE, STAGES
from boards.panels import AnyPanel, graph, grid, heat
from boards.rendering import STAGE, per_second, points, rows
from boards.targets import promql, sql_series, sql_table

DOWN = [links.point_link(links.RUN), links.point_link(links.LATENCY_DRIVE)]


def wide(title: str, about: str, unit: str, sql: str, log: bool = False) -> AnyPanel:
    """One graph over the whole width, so that all have one time axis."""
    return graph(title, about, unit, sql_series(sql), log=log, span=24, height=6, links=DOWN)


def latency_and_load() -> list[AnyPanel]:
    """Latency, its steps, and the load."""
    return [
        wide(
            "Latency",
            "Percentiles of the messages due in each point; click one for its minute.",
            "µs",
            points("latency_over_time", CURVE, stage=STAGE),
            log=True,
        ),
        grid(
            "Steps",
            "Moments at which p99 rose or fell for good: 15 minutes before against 15 minutes after. Whole run.",
            sql_table(rows("latency_steps", ["time", "before_us", "after_us", "ratio", "score"], stage=STAGE)),
            links={"time": [links.step_link()]},
            height=6,
        ),
        heat(
            "Latency heatmap",
            "How many messages had which latency. A row ends at the latency beside it, in ms; two rows to a doubling.",
            sql_series(points("latency_cells", ["events"], ["below_ms"], stage=STAGE, per_doubling="2")),
            label="below_ms",
        ),
        wide(
            "Throughput",
            "Acknowledged and received per second, mean of a point.",
            "cps",
            per_second(
                "throughput_per_second", {"acknowledged": "acked_per_s", "received": "received_per_s"}, how="avg"
            ),
        ),
        wide(
            "Backlog",
            "Backlog: messages not delivered yet, the maximum of each point.",
            "short",
            per_second("backlog_per_second", {"backlog": "backlog"}),
        ),
    ]


def causes() -> list[AnyPanel]:
    """What may have changed with the latency: drives, retention, pressure."""
    return [
        wide(
            "Drives against their first hour",
            "Write and flush latency over that of the first hour of the measure phase; 1 is unchanged.",
            "none",
            points("drive_against_first_hour", {"write": "write_ratio", "flush": "flush_ratio"}, ["host", "device"]),
        ),
        wide(
            "What retention does",
            "Segments and messages deleted, and discards of drives, per second: from here on the load is another one.",
            "cps",
            points(
                "signal_points",
                ["value"],
                ["signal", "host", "device"],
                signals="retention_messages_per_s,segments_deleted_per_s,drive_discards_per_s",
            ),
        ),
        wide(
            "Pressure",
            "Share of time in which some task of the broker waited.",
            "percentunit",
            points(
                "signal_points",
                ["value"],
                ["signal", "host"],
                signals="broker_io_pressure,broker_cpu_pressure,host_io_pressure",
            ),
        ),
        graph(
            "Write latency against the first hour, while it goes on",
            "From VictoriaMetrics, which has the metrics of a run before it has ended.",
            "none",
            promql(
                "tailrace:drive_write_latency_seconds:5m / tailrace:drive_write_latency_seconds:first_hour",
                "{{host}} {{device}}",
            ),
            span=24,
            height=6,
        ),
    ]


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    glance = Section("At a glance", [*latency_and_load(), *causes()])
    marks = MarksBuilder(
        "Steps, as after over before", "purple", rows("latency_steps", ["time"], texts={"text": "ratio"}, stage=STAGE)
    )
    variables = [choice("stage", "Latency", STAGES)]
    about = "36 hours at a glance. Click a point or a step to go to Run or Latency × drive at that moment."
    down = (links.RUN, links.LATENCY_DRIVE, links.HOSTS, links.AUDIT, links.COMPARE)
    return assemble(links.LONG_RUN, about, [glance], variables=variables, to=down, marks=[marks])
