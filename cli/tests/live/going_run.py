# SPDX-License-Identifier: Apache-2.0
"""The metrics of a running run."""

RUN = "live-1"
# Counted per second; latencies as VictoriaMetrics' own buckets, 90 % in the lower one.
RATES = {"sent": 1000, "acked": 990, "received": 980}
BUCKETS = {"1.000e-03...1.136e-03": 900, "8.799e-02...1.000e-01": 100}
DISK = {
    "writes_completed_total": 100,
    "write_time_seconds_total": 0.25,
    "io_time_seconds_total": 0.4,
}
