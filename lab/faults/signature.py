# SPDX-License-Identifier: Apache-2.0
"""The main metrics before and during an injection, to understand a wrong verdict."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from datetime import datetime

from lab.faults.truth import Injected
from tailrace.api import StackPaths

_BEFORE_S = 10


def _p99(stage: str) -> str:
    return (
        f"histogram_quantile(0.99, sum by (vmrange) (increase(tailrace_{stage}_seconds_bucket"
        '{{tailrace_run_id="{run}"}}[{w}s]))) * 1000'
    )


def _per(time: str, count: str) -> str:
    drive = '{{device="{device}"}}'
    return f"sum(increase({time}{drive}[{{w}}s])) / sum(increase({count}{drive}[{{w}}s])) * 1000"


# PromQL over the last {w} seconds. Times are ms; the rest is a share, a rate or a number.
METRICS = {
    "publish p99": _p99("publish_latency"),
    "end-to-end p99": _p99("end_to_end_latency"),
    "publish delay p99": _p99("publish_delay"),
    "write": _per("node_disk_write_time_seconds_total", "node_disk_writes_completed_total"),
    "flush": _per("node_disk_flush_requests_time_seconds_total", "node_disk_flush_requests_total"),
    "writes/s": 'rate(node_disk_writes_completed_total{{device="{device}"}}[{w}s])',
    "MB/s": 'rate(node_disk_written_bytes_total{{device="{device}"}}[{w}s]) / 1e6',
    "utilisation": 'rate(node_disk_io_time_seconds_total{{device="{device}"}}[{w}s])',
    "sync call": (
        'sum(increase(ioprobe_sync_duration_seconds_sum{{device="{device}"}}[{w}s]))'
        ' / sum(increase(ioprobe_sync_duration_seconds_count{{device="{device}"}}[{w}s])) * 1000'
    ),
    "broker IO pressure": (
        'sum(rate(procprobe_pressure_seconds_total{{group="broker",resource="io",extent="some"}}[{w}s]))'
    ),
    "broker CPU pressure": (
        'sum(rate(procprobe_pressure_seconds_total{{group="broker",resource="cpu",extent="some"}}[{w}s]))'
    ),
    "broker CPU": 'sum(rate(procprobe_cpu_seconds_total{{group="broker"}}[{w}s]))',
    "loadgen CPU": 'sum(rate(procprobe_cpu_seconds_total{{group="loadgen"}}[{w}s]))',
    "host CPU pressure": "sum(rate(node_pressure_cpu_waiting_seconds_total[{w}s]))",
    "broker GC": 'sum(rate(jvm_gc_collection_seconds_sum{{job="kafka"}}[{w}s]))',
    "broker scrapes": 'avg_over_time(up{{job="kafka"}}[{w}s])',
    "produce": (
        'sum(delta((kafka_request_total_time_seconds_mean{{request="Produce"}}'
        ' * kafka_request_total_time_seconds_count{{request="Produce"}})[{w}s:1s]))'
        ' / sum(delta(kafka_request_total_time_seconds_count{{request="Produce"}}[{w}s])) * 1000'
    ),
    "retransmitted/s": "sum(rate(node_netstat_Tcp_RetransSegs[{w}s]))",
    "discarded MB/s": 'rate(node_disk_discarded_sectors_total{{device="{device}"}}[{w}s]) * 512 / 1e6',
    "segments": "sum(kafka_log_segments)",
}


def of(paths: StackPaths, run_id: str, device: str, injected: Injected) -> dict[str, list[float | None]]:
    """By metric: before, during; None where VictoriaMetrics has nothing. Needs the stack up."""
    assert injected.start is not None, "it was injected"
    assert injected.end is not None, "it was injected"
    start, end = (datetime.fromisoformat(time).timestamp() for time in (injected.start, injected.end))
    windows = ((start - 1, _BEFORE_S), (end + 1, max(3, round(end - start))))
    return {
        name: [_value(paths, query.format(run=run_id, device=device, w=w), at) for at, w in windows]
        for name, query in METRICS.items()
    }


def _value(paths: StackPaths, query: str, at: float) -> float | None:
    asked = urllib.parse.urlencode({"query": query, "time": f"{at:.3f}", "nocache": "1"})
    url = f"http://127.0.0.1:{paths.ports['VICTORIAMETRICS_PORT']}/api/v1/query?{asked}"
    with urllib.request.urlopen(url, timeout=10) as answer:
        found = json.load(answer)["data"]["result"]
    value = float(found[0]["value"][1]) if found else float("nan")
    return float(f"{value:.4g}") if value == value and abs(value) != float("inf") else None
