# SPDX-License-Identifier: Apache-2.0
"""The platform watching itself: does what was measured arrive, and what does that cost?"""

from typing import Any

from boards import links
from boards.board import Section, assemble
from boards.panels import AnyPanel, graph, grid
from boards.rendering import rows
from boards.targets import promql, sql_table

WINDOW = "[$__rate_interval]"
SENT = "otelcol_exporter_tailrace"


def flow(title: str, about: str, unit: str, expr: str, legend: str) -> AnyPanel:
    """One graph, from VictoriaMetrics."""
    return graph(title, about, unit, promql(expr, legend), span=8, height=7)


def parts_that_answer() -> Section:
    """Which parts of the platform answer, and how late."""
    panels = [
        flow(
            "Parts that answer",
            "1: the exporter or program answered its scrape. A run has a gap where it does not.",
            "none",
            "max by (job, instance) (up)",
            "{{job}} {{instance}}",
        ),
        flow(
            "How late they answer",
            "Duration of a scrape; a starved program answers late before it does not answer.",
            "s",
            "max by (job, instance) (scrape_duration_seconds)",
            "{{job}} {{instance}}",
        ),
        flow(
            "Warehouse at the collector",
            "1: the last answer of the endpoint was a verdict.",
            "none",
            f"{SENT}_endpoint_up",
            "{{endpoint}}",
        ),
    ]
    return Section("Parts that answer", panels)


def events_on_their_way() -> Section:
    """Events and blocks between load generator and warehouse."""
    panels = [
        flow(
            "Recorded, not yet stored",
            "Events in the load generators' memory and spools. It must come back to 0.",
            "short",
            'sum by (tailrace_run_id) (tailrace_events_unshipped{tailrace_run_id="$run"})',
            "{{tailrace_run_id}}",
        ),
        flow(
            "Rows stored",
            "Rows per second that the collector posted, by stream and outcome.",
            "cps",
            f"sum by (stream, outcome) (rate({SENT}_rows{WINDOW}))",
            "{{stream}} {{outcome}}",
        ),
        flow(
            "Bytes stored",
            "Compressed bytes per second that the collector posted, by stream.",
            "Bps",
            f"sum by (stream) (rate({SENT}_bytes{WINDOW}))",
            "{{stream}}",
        ),
        flow(
            "Time to commit a block, p99",
            "From taking a block to the warehouse's answer.",
            "s",
            f"histogram_quantile(0.99, sum by (le, stream) (rate({SENT}_commit_duration_bucket{WINDOW})))",
            "{{stream}}",
        ),
        flow(
            "Blocks refused by the collector's receiver",
            "Log records, each a block, per second; load generators send them again.",
            "cps",
            f"sum by (receiver) (rate(otelcol_receiver_refused_log_records{WINDOW}))",
            "{{receiver}}",
        ),
        flow(
            "Probes",
            "1: attached. Events dropped by the kernel's table make the histograms short.",
            "none",
            "ioprobe_up",
            "{{host}} {{reason}}",
        ),
    ]
    return Section("Events on their way", panels)


def cost() -> Section:
    """CPU and memory of the platform, and the cost of a message."""
    panels = [
        flow(
            "Cores by group",
            "CPU of each part of the stack.",
            "short",
            f"sum by (host, group) (rate(procprobe_cpu_seconds_total{WINDOW}))",
            "{{host}} {{group}}",
        ),
        flow(
            "Memory by group",
            "Resident memory of each part of the stack.",
            "bytes",
            "sum by (host, group) (procprobe_resident_memory_bytes)",
            "{{host}} {{group}}",
        ),
        flow(
            "Alerts",
            "Alerts that fire or are pending.",
            "short",
            "count by (alertname, alertstate) (ALERTS)",
            "{{alertname}} {{alertstate}}",
        ),
        grid(
            "What the run cost per message",
            "CPU, drive and network of each host and process in the measure phase; µs or bytes a message acknowledged.",
            sql_table(rows("cost_per_event", ["job", "host", "resource", "used", "unit", "per_event", "event_unit"])),
        ),
    ]
    return Section("What it costs", panels)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    sections = [parts_that_answer(), events_on_their_way(), cost()]
    about = "The platform watching itself. An alert about it is about what is measured, not about the broker."
    return assemble(links.PIPELINE, about, sections, to=(links.AUDIT, links.HOSTS, links.RUN), tag="system")
