# SPDX-License-Identifier: Apache-2.0
"""Hosts and drives: device by device, now and against the first hour of the run."""

from typing import Any

from boards import links
from boards.board import Section, assemble, from_labels
from boards.panels import AnyPanel, graph
from boards.rendering import points
from boards.targets import promql, sql_series

WINDOW = "[$__rate_interval]"
DRIVE = '{host=~"$host", device=~"$device"}'
HOST = '{host=~"$host"}'
DOWN = [links.point_link(links.LATENCY_DRIVE), links.point_link(links.MESSAGES)]


def drive(title: str, about: str, unit: str, expr: str) -> AnyPanel:
    """A line for each drive."""
    return graph(title, about, unit, promql(expr, "{{host}} {{device}}"), span=8, height=7, links=DOWN)


def host(title: str, about: str, unit: str, expr: str, legend: str = "{{host}}") -> AnyPanel:
    """A line for each host, or for each of its parts."""
    return graph(title, about, unit, promql(expr, legend), span=8, height=7)


def mean(time: str, number: str) -> str:
    """Time over number, where there was any."""
    return f"rate({time}{DRIVE}{WINDOW}) / (rate({number}{DRIVE}{WINDOW}) > 0)"


def against_first_hour() -> Section:
    """Of the run that is chosen; from what it keeps, so after its end only."""
    labels = ["host", "device"]
    about = "1 is the first hour of the measure phase. Means over requests."
    panels = [
        graph(
            "Latency of drives against the first hour",
            about,
            "none",
            sql_series(points("drive_against_first_hour", {"write": "write_ratio", "flush": "flush_ratio"}, labels)),
            links=DOWN,
        ),
        graph(
            "Latency of drives",
            "Means over requests, and what they were in the first hour.",
            "ms",
            sql_series(
                points(
                    "drive_against_first_hour",
                    {"write": "write_latency_ms", "flush": "flush_latency_ms", "first_hour": "first_hour_write_ms"},
                    labels,
                )
            ),
            log=True,
            links=DOWN,
        ),
    ]
    return Section("This run against its first hour", panels)


def disk_metrics() -> list[AnyPanel]:
    """Latency, queue and rates of each drive."""
    disk = "node_disk"
    return [
        drive(
            "Write latency",
            "Time of all writes over their number. A limit above the drive makes it look better.",
            "s",
            mean(f"{disk}_write_time_seconds_total", f"{disk}_writes_completed_total"),
        ),
        drive(
            "Flush latency",
            "Time of all flushes over their number; whole drives only.",
            "s",
            mean(f"{disk}_flush_requests_time_seconds_total", f"{disk}_flush_requests_total"),
        ),
        drive(
            "Read latency",
            "Time of all reads over their number.",
            "s",
            mean(f"{disk}_read_time_seconds_total", f"{disk}_reads_completed_total"),
        ),
        drive("Queue", "Requests in flight.", "short", f"rate({disk}_io_time_weighted_seconds_total{DRIVE}{WINDOW})"),
        drive(
            "Busy",
            "Share of time with a request in flight.",
            "percentunit",
            f"rate({disk}_io_time_seconds_total{DRIVE}{WINDOW})",
        ),
        drive("Flushes", "Per second.", "cps", f"rate({disk}_flush_requests_total{DRIVE}{WINDOW})"),
        drive("Written", "Bytes per second.", "Bps", f"rate({disk}_written_bytes_total{DRIVE}{WINDOW})"),
        drive("Read", "Bytes per second.", "Bps", f"rate({disk}_read_bytes_total{DRIVE}{WINDOW})"),
        drive(
            "Discards",
            "TRIM requests per second, as when retention deletes segments.",
            "cps",
            f"rate({disk}_discards_completed_total{DRIVE}{WINDOW})",
        ),
    ]


def drives() -> Section:
    """The drives of the chosen hosts."""
    panels = [
        *disk_metrics(),
        graph(
            "fsync calls, p99",
            "By process, from eBPF; empty where the kernel refuses eBPF (ioprobe_up has the reason).",
            "s",
            promql(
                "histogram_quantile(0.99, sum by (le, host, device, process) "
                f"(rate(ioprobe_sync_duration_seconds_bucket{DRIVE}{WINDOW})))",
                "{{host}} {{device}} {{process}}",
            ),
            span=8,
            height=7,
        ),
        graph(
            "Against the first hour",
            "Write latency of five minutes over that of the run's first hour, as DriveSlowerThanFirstHour has it.",
            "none",
            promql(
                f"tailrace:drive_write_latency_seconds:5m{DRIVE}"
                f" / tailrace:drive_write_latency_seconds:first_hour{DRIVE}",
                "{{host}} {{device}}",
            ),
            span=8,
            height=7,
        ),
        host(
            "Space left",
            "Share of the file system.",
            "percentunit",
            f"node_filesystem_avail_bytes{HOST} / node_filesystem_size_bytes{HOST}",
            "{{host}} {{mountpoint}}",
        ),
    ]
    return Section("Drives, from VictoriaMetrics", panels)


def hosts() -> Section:
    """CPU, memory, network and clock of the chosen hosts."""
    panels = [
        host(
            "CPU",
            "Cores at work, by mode.",
            "short",
            f'sum by (host, mode) (rate(node_cpu_seconds_total{{host=~"$host", mode!="idle"}}{WINDOW}))',
            "{{host}} {{mode}}",
        ),
        host(
            "IO pressure",
            "Share of time in which some task waited for IO.",
            "percentunit",
            f"rate(node_pressure_io_waiting_seconds_total{HOST}{WINDOW})",
        ),
        host(
            "CPU pressure",
            "Share of time in which some task waited for a CPU.",
            "percentunit",
            f"rate(node_pressure_cpu_waiting_seconds_total{HOST}{WINDOW})",
        ),
        host("Dirty pages", "Page cache that is written later.", "bytes", f"node_memory_Dirty_bytes{HOST}"),
        host("Write-back", "Page cache on its way to a drive.", "bytes", f"node_memory_Writeback_bytes{HOST}"),
        host(
            "Memory available", "Memory that programs can still have.", "bytes", f"node_memory_MemAvailable_bytes{HOST}"
        ),
        host(
            "Network",
            "Bytes received per second, by network device.",
            "Bps",
            f"rate(node_network_receive_bytes_total{HOST}{WINDOW})",
            "{{host}} {{device}}",
        ),
        host(
            "TCP segments sent again",
            "Per second; each costs a round trip or a timeout.",
            "cps",
            f"rate(node_netstat_Tcp_RetransSegs{HOST}{WINDOW})",
        ),
        host(
            "Clock offset",
            "As NTP measured it last; without meaning while no daemon synchronises the clock.",
            "s",
            f"node_timex_offset_seconds{HOST}",
        ),
    ]
    return Section("Hosts, from VictoriaMetrics", panels)


def page() -> dict[str, Any]:
    """The dashboard as JSON."""
    variables = [
        from_labels("host", "Host", "label_values(node_disk_io_time_seconds_total, host)"),
        from_labels("device", "Drive", 'label_values(node_disk_io_time_seconds_total{host=~"$host"}, device)'),
    ]
    sections = [drives(), against_first_hour(), hosts()]
    about = "Hosts and drives, device by device. Next: Latency × drive, and the messages of a minute."
    down = (links.LATENCY_DRIVE, links.MESSAGES, links.BROKERS, links.RUN)
    return assemble(links.HOSTS, about, sections, variables=variables, to=down, tag="system")
