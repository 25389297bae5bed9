# SPDX-License-Identifier: Apache-2.0
"""The brokers of a run: their latency side by side, and what they say of themselves."""

from typing import Any

from boards import links
from boards.board import Section, assemble, from_labels
from boards.panels import AnyPanel, graph, grid
from boards.rendering import points, rows
from boards.targets import promql, sql_series, sql_table

BROKER = '{host=~"$host"}'
WINDOW = "[$__rate_interval]"
STAGES = "produce_queue_ms,produce_local_ms,produce_remote_ms,produce_send_ms"


def broker(title: str, about: str, unit: str, expr: str) -> AnyPanel:
    """One graph, a line for each broker."""
    return graph(title, about, unit, promql(expr, "{{host}} {{broker}}"), span=8, height=7)


def signals(title: str, about: str, unit: str, names: str) -> AnyPanel:
    """Signals as the run keeps them; after its end only."""
    sql = points("signal_points", ["value"], ["signal", "host", "broker"], signals=names)
    return graph(title, about, unit, sql_series(sql), links=[links.point_link(links.LATENCY_DRIVE)])


def side_by_side() -> Section:
    """Latency and signals of the brokers of the run."""
    panels = [
        grid(
            "Latency by broker",
            "Exact percentiles of the measure phase by the broker that led the partition; of more than 5 million "
            "messages the newest seconds. A broker links to its drive.",
            sql_table(
                rows(
                    "latency_by_broker",
                    [
                        "stage",
                        "broker",
                        "host",
                        "partitions",
                        "events",
                        "p50_us",
                        "p99_us",
                        "p99_9_us",
                        "p99_99_us",
                        "max_us",
                    ],
                    most_rows="5000000",
                )
            ),
            links={
                "broker": [links.row_link(links.LATENCY_DRIVE, "Its latency and its drive", {"broker": "broker"})],
                "host": [links.row_link(links.HOSTS, "Its host", {"host": "host"})],
            },
        ),
        signals(
            "Where a produce request spends its time",
            "Mean of a second: waiting for a thread, the append and a flush (local), replicas (remote), the answer.",
            "ms",
            STAGES,
        ),
        signals(
            "Produce and fetch requests",
            "Mean of the whole request in a second.",
            "ms",
            "produce_ms,fetch_ms,log_flush_ms",
        ),
        signals(
            "Threads and garbage",
            "Share of time in which request handlers idle, and in which garbage is collected.",
            "percentunit",
            "handler_idle_share,broker_gc_share",
        ),
        signals(
            "Retention and leaders",
            "Messages that retention deleted, segments deleted and leaders moved, per second.",
            "cps",
            "retention_messages_per_s,segments_deleted_per_s,leaders_moved_per_s",
        ),
    ]
    return Section("This run", panels)


def live() -> Section:
    """The brokers' own metrics."""
    panels = [
        broker(
            "Messages in",
            "Messages received per second.",
            "cps",
            f"rate(kafka_broker_messages_in_total{BROKER}{WINDOW})",
        ),
        broker(
            "Bytes in", "Bytes from producers per second.", "Bps", f"rate(kafka_broker_bytes_in_total{BROKER}{WINDOW})"
        ),
        broker(
            "Bytes out", "Bytes to consumers per second.", "Bps", f"rate(kafka_broker_bytes_out_total{BROKER}{WINDOW})"
        ),
        broker(
            "Refused requests",
            "Produce and fetch requests refused per second.",
            "cps",
            f"rate(kafka_broker_failed_produce_requests_total{BROKER}{WINDOW})"
            f" + rate(kafka_broker_failed_fetch_requests_total{BROKER}{WINDOW})",
        ),
        broker(
            "Request queue", "Requests that wait for a handler thread.", "short", f"kafka_request_queue_size{BROKER}"
        ),
        broker(
            "Replication",
            "Partitions with a replica that has fallen behind.",
            "short",
            f"kafka_broker_under_replicated_partitions{BROKER}",
        ),
        broker("Leaders", "Partitions led; a step is a leader change.", "short", f"kafka_broker_leaders{BROKER}"),
        broker(
            "Log size",
            "Bytes in the logs of runs' topics.",
            "bytes",
            f"sum by (host, broker) (kafka_log_size_bytes{BROKER})",
        ),
        broker(
            "Answers",
            "Does its exporter answer? A run has a gap where it does not.",
            "none",
            'up{job="kafka", host=~"$host"}',
        ),
    ]
    return Section("What brokers say of themselves, from VictoriaMetrics", panels)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    variables = [from_labels("host", "Host", "label_values(kafka_broker_state, host)")]
    sections = [side_by_side(), live()]
    about = "The brokers of a run side by side. Next: Latency × drive for one of them, Hosts and drives below it."
    down = (links.LATENCY_DRIVE, links.HOSTS, links.MESSAGES, links.RUN)
    return assemble(links.BROKERS, about, sections, variables=variables, to=down, tag="system")
