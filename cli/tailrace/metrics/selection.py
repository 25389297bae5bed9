# SPDX-License-Identifier: Apache-2.0
"""The metrics that are copied for a run."""

# Anchored patterns of metric names. All other metrics stay in VictoriaMetrics only.
KEPT = (
    "node_disk_.*",
    "ioprobe_.*",
    "node_pressure_.*",
    "node_cpu_seconds_total",
    "node_memory_(Dirty|Writeback|MemAvailable|Cached)_bytes",
    "node_network_(receive|transmit)_(bytes|errs|drop)_total",
    "node_netstat_.*",
    "node_timex_.*",
    "chrony_.*",
    "node_filesystem_(avail|size)_bytes",
    "nvme_smart_.*",
    "procprobe_.*",
    "node_vmstat_.*(pgpg|pswp|oom).*",
    "kafka_.*",
    "jvm_gc_.*",
    "jvm_cpu_time.*",
    "jvm_memory_used_bytes",
    "process_.*",
    "otelcol_.*",
    "tailrace_.*",
    # Shows which exporters answered, so that a gap differs from a standstill.
    "up",
    # A paused or starved program answers late before it stops answering.
    "scrape_duration_seconds",
)

# The load generator's live histograms repeat coarsely what the raw rows store for every message.
LEFT_OUT = "(tailrace|jvm)_.*_bucket"

SELECTOR = f'{{__name__=~"{"|".join(KEPT)}",__name__!~"{LEFT_OUT}"}}'
