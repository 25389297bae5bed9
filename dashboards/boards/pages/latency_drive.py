# SPDX-License-Identifier: Apache-2.0
"""Latency above the drive that may have caused it, broker by broker, on one time axis."""

from typing import Any

from boards import links
from boards.board import LIVE, Section, assemble, choice, from_query
from boards.panels import AnyPanel, graph, grid, scatter
from boards.rendering import BROKER, STAGE, options, per_second, points, rows
from boards.targets import promql, sql_series, sql_table

DOWN = [links.point_link(links.MESSAGES), links.point_link(links.HOSTS)]


def drive(title: str, about: str, unit: str, columns: dict[str, str], how: str, log: bool = False) -> AnyPanel:
    """One graph of the drive under the broker's log."""
    sql = per_second("broker_drive_per_second", columns, ["host", "device"], how=how, broker=BROKER)
    return graph(title, about, unit, sql_series(sql), log=log, span=24, height=5, links=DOWN)


def live(title: str, about: str, unit: str, expr: str) -> AnyPanel:
    """The same from VictoriaMetrics, which has it while the run goes on."""
    return graph(title, about, unit, promql(expr, "{{host}} {{device}} {{group}} {{broker}}"))


def by_broker() -> Section:
    """Latency of a broker above its drive."""
    shares = "Messages due in a point by the broker that led their partition; raw rows, exact. Of more than 5 million"
    panels: list[AnyPanel] = [
        graph(
            "Broker $broker: latency",
            f"{shares} messages, the newest seconds of the range.",
            "µs",
            sql_series(
                points(
                    "broker_latency_over_time",
                    {"p50": "p50_us", "p99": "p99_us", "p99_9": "p99_9_us"},
                    stage=STAGE,
                    broker=BROKER,
                )
            ),
            log=True,
            span=24,
            height=7,
            links=DOWN,
        ),
        drive(
            "Broker $broker: write and flush latency of its drive",
            "Worst second of a point. A limit above the drive makes writes look better, not flushes.",
            "ms",
            {"write": "write_latency_ms", "flush": "flush_latency_ms", "read": "read_latency_ms"},
            "max",
            log=True,
        ),
        drive(
            "Broker $broker: queue of its drive",
            "Requests in flight on average; the worst second of a point.",
            "short",
            {"queue": "queue_depth"},
            "max",
        ),
        drive(
            "Broker $broker: flushes of its drive",
            "Flushes of the drive's cache per second, by all processes.",
            "cps",
            {"flushes": "flushes_per_s"},
            "avg",
        ),
        drive(
            "Broker $broker: how busy its drive is",
            "Share of time with a request in flight.",
            "percentunit",
            {"busy": "utilisation"},
            "max",
        ),
    ]
    return Section("Broker $broker", panels, repeat="broker")


def all_brokers() -> Section:
    """Pressure, and how latency and drives relate."""
    panels = [
        graph(
            "Pressure",
            "Share of time in which some task waited for IO: of the broker's own control group, and of the host.",
            "percentunit",
            sql_series(
                points("signal_points", ["value"], ["signal", "host"], signals="broker_io_pressure,host_io_pressure")
            ),
            span=24,
            height=6,
        ),
        scatter(
            "p99 over write latency",
            "One point a second: end-to-end p99 (up) over the write latency of the broker's drive (right).",
            "ms",
            sql_table(
                rows("latency_beside_drive", ["write_latency_ms", "end_to_end_p99_ms", "device", "time"], time="time")
            ),
            x="write_latency_ms",
            y="end_to_end_p99_ms",
        ),
        grid(
            "Which moved first",
            "Pearson correlation of p99 with each metric of the drive; a positive lag: the drive moved first.",
            sql_table(rows("latency_drive_correlation", ["host", "device", "metric", "lag_s", "r", "points"])),
            span=12,
            height=9,
        ),
    ]
    return Section("All brokers", panels)


def drives_now() -> Section:
    """Drives and pressure while the run goes on."""
    window = '{device!~"(loop|ram|zram).*"}[$__rate_interval]'
    panels = [
        live(
            "Write latency now",
            "While the run goes on its drives are in VictoriaMetrics only.",
            "s",
            f"rate(node_disk_write_time_seconds_total{window}) / (rate(node_disk_writes_completed_total{window}) > 0)",
        ),
        live(
            "Flush latency now",
            "Time of all flushes over their number.",
            "s",
            f"rate(node_disk_flush_requests_time_seconds_total{window})"
            f" / (rate(node_disk_flush_requests_total{window}) > 0)",
        ),
        live(
            "Queue now",
            "Requests in flight on average.",
            "short",
            f"rate(node_disk_io_time_weighted_seconds_total{window})",
        ),
        live(
            "IO pressure now",
            "Share of time in which some task of the broker waited for IO.",
            "percentunit",
            'rate(procprobe_pressure_seconds_total{group="broker", resource="io", extent="some"}[$__rate_interval])',
        ),
    ]
    return Section("Live, from VictoriaMetrics", panels)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    variables = [
        choice("stage", "Latency", {"Publish": "publish", "End to end": "end_to_end"}),
        from_query("broker", "Broker", options("run_brokers", "broker"), multi=True, everything=True),
    ]
    sections = [by_broker(), all_brokers(), drives_now()]
    about = "Per broker: latency above the write latency, queue, flushes and pressure of the drive under its log."
    down = (links.MESSAGES, links.HOSTS, links.BROKERS, links.RUN)
    return assemble(links.LATENCY_DRIVE, about, sections, variables=variables, to=down, refresh=LIVE)
