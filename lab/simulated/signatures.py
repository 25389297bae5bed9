# SPDX-License-Identifier: Apache-2.0
"""What injected faults looked like: levels measured on a two-core machine with Kafka 4.4.

One Kafka broker on a drive of its own, 50 to 100 messages a second, a flush for each. Each entry:
name, the right verdict, and the levels during the fault; what is not named stayed calm. Levels of
the drive, of fsyncs and of latency were measured. Those of the broker's stages, and of garbage
collection, retention, consumers and load generator, are assumed: they test rules, not the world.
"""

from lab.simulated.per_second import Levels

SLOW_SYNCS: Levels = {"syncs": 32, "log_flushes": 11, "produces": 60}

SIGNATURES: list[tuple[str, str, Levels]] = [
    (
        "iops limit under the file system",
        "slow_drive",
        {
            **SLOW_SYNCS,
            **{"p50": 2910, "p99": 3290, "write_ms": 14.8, "flush_ms": 14.8, "writes": 80},
            **{"flushes": 64, "queue": 1.66, "busy": 0.973, "io_pressure": 0.306, "sync_ms": 23.9},
            **{"request_write_ms": 20, "local_ms": 90, "log_flush_ms": 75, "cpu_pressure": 0.03},
        },
    ),
    (
        "bandwidth limit under the file system",
        "slow_drive",
        {
            **SLOW_SYNCS,
            **{"p50": 2000, "p99": 2570, "write_ms": 11.4, "flush_ms": 2.07, "writes": 95},
            **{"flushes": 75, "queue": 1.22, "busy": 0.889, "io_pressure": 0.09, "sync_ms": 17.8},
            **{"request_write_ms": 11, "local_ms": 60, "log_flush_ms": 50, "cpu_pressure": 0.04},
        },
    ),
    (
        "writes 10 ms slower",
        "slow_drive",
        {
            **SLOW_SYNCS,
            **{"p50": 1040, "p99": 1520, "write_ms": 6.32, "flush_ms": 0.57, "writes": 170},
            **{"flushes": 135, "queue": 1.05, "busy": 0.944, "io_pressure": 0.291, "sync_ms": 9.13},
            **{"request_write_ms": 9.5, "local_ms": 35, "log_flush_ms": 29, "cpu_pressure": 0.04},
        },
    ),
    (
        "flushes 20 ms slower",
        "slow_flush",
        {
            **SLOW_SYNCS,
            **{"p50": 2870, "p99": 3490, "write_ms": 15.2, "flush_ms": 20.6, "writes": 72},
            **{"flushes": 58, "queue": 1.94, "busy": 0.972, "io_pressure": 0.358, "sync_ms": 24},
            **{"request_write_ms": 0.4, "local_ms": 90, "log_flush_ms": 75, "cpu_pressure": 0.04},
        },
    ),
    (
        "flushes 5 ms slower",
        "slow_flush",
        {
            **SLOW_SYNCS,
            **{"p50": 891, "p99": 1100, "write_ms": 5.09, "flush_ms": 5.95, "writes": 180},
            **{"flushes": 144, "queue": 1.79, "busy": 0.923, "io_pressure": 0.37, "sync_ms": 7.96},
            **{"request_write_ms": 0.4, "local_ms": 30, "log_flush_ms": 25, "cpu_pressure": 0.06},
        },
    ),
    (
        "iops limit on the control group",
        "throttled_above_drive",
        {
            **SLOW_SYNCS,
            **{"p50": 2800, "p99": 3200, "write_ms": 0.104, "flush_ms": 0.083, "writes": 72},
            **{"flushes": 58, "queue": 0.012, "busy": 0.001, "io_pressure": 0.546, "sync_ms": 23.1},
            **{"local_ms": 88, "log_flush_ms": 74, "cpu_pressure": 0.01},
        },
    ),
    (
        "iops limit on the control group, shared drive",
        "throttled_above_drive",
        {
            **SLOW_SYNCS,
            **{"p50": 5420, "p99": 6710, "write_ms": 0.664, "flush_ms": 0.234, "writes": 80},
            **{"flushes": 60, "queue": 1.05, "busy": 0.253, "io_pressure": 0.722, "sync_ms": 34.1},
            **{"request_write_ms": 0.6, "local_ms": 130, "log_flush_ms": 110, "cpu_pressure": 0.06},
        },
    ),
    (
        "random writes by another process",
        "drive_neighbour",
        {
            **SLOW_SYNCS,
            **{"p50": 1590, "p99": 4350, "write_ms": 20.6, "flush_ms": 11.4, "writes": 1450},
            **{"flushes": 130, "queue": 30.6, "busy": 0.946, "io_pressure": 0.323, "sync_ms": 18.7},
            **{"request_write_ms": 20, "other_requests": 1250, "written_mb": 7},
            **{"local_ms": 60, "log_flush_ms": 50, "cpu_pressure": 0.05},
        },
    ),
    (
        "another process writes much and syncs",
        "drive_neighbour",
        {
            **SLOW_SYNCS,
            **{"p50": 935, "p99": 3060, "write_ms": 237, "flush_ms": 2.25, "writes": 160},
            **{"flushes": 90, "queue": 36.8, "busy": 0.947, "io_pressure": 0.691, "sync_ms": 44},
            **{"request_write_ms": 237, "written_mb": 95, "local_ms": 120, "log_flush_ms": 100},
        },
    ),
    (
        "another program takes the cores",
        "cpu_starvation",
        {
            **{"p50": 22, "p99": 190, "write_ms": 0.307, "flush_ms": 0.314, "queue": 0.211},
            **{"busy": 0.109, "io_pressure": 0.051, "sync_ms": 0.914, "cpu_pressure": 0.31},
            **{"other_cores": 1.6, "queue_ms": 3, "local_ms": 4, "log_flush_ms": 3.5},
            **{"scrape_ms": 190, "lag_ms": 12},
        },
    ),
    (
        "CPU quota",
        "cpu_starvation",
        {
            **{"p50": 8550, "p99": 13300, "write_ms": 2.31, "flush_ms": 2.37, "writes": 30},
            **{"flushes": 25, "queue": 0.052, "busy": 0.029, "io_pressure": 0.018, "sync_ms": 4.79},
            **{"cpu_pressure": 0.87, "up": 0, "syncs": 20, "broker_cores": 0.1},
        },
    ),
    (
        "stopped by a signal",
        "broker_pause",
        {
            **{"p50": 1340, "p99": 3280, "up": 0, "broker_cores": 0, "writes": 5, "flushes": 4},
            **{"stopped": 1},
            **{"syncs": 2, "queue": 0.001, "busy": 0.001, "io_pressure": 0, "cpu_pressure": 0},
        },
    ),
    (
        "collecting garbage",
        "broker_pause",
        {
            **{"p50": 60, "p99": 900, "gc": 0.55, "broker_cores": 1.3, "local_ms": 40},
            **{"queue_ms": 20, "scrape_ms": 600},
        },
    ),
    (
        "full collections, one after the other",
        "broker_pause",
        {
            **{"p50": 2000, "p99": 8900, "gc": 0.67, "broker_cores": 0.98, "local_ms": 92},
            **{"cpu_pressure": 0.66, "up": 0.22, "writes": 72, "syncs": 60},
        },
    ),
    (
        "bandwidth limit on the network",
        "network",
        {
            **{"p50": 2870, "p99": 5360, "retransmits": 3, "syncs": 140, "io_pressure": 0.001},
            **{"sync_ms": 0.2, "cpu_pressure": 0.01},
        },
    ),
    (
        "old log segments are deleted",
        "retention_delete",
        {
            **{"p50": 30, "p99": 420, "deleted": 5000, "segments": 2, "discards": 300},
            **{"io_pressure": 0.25, "local_ms": 25, "write_ms": 3, "request_write_ms": 3},
            **{"log_flush_ms": 15, "sync_ms": 5},
        },
    ),
    (
        "consumers stand still",
        "consumer_stalled",
        {"deliver": 4000, "received": 10},
    ),
    (
        "the load generator is stopped",
        "load_generator",
        {"delay_p99": 2000, "p50": 900, "p99": 2000, "loader_stopped": 1, "lag_ms": 2000},
    ),
    (
        "the file system is frozen",
        "unknown",
        {
            **{"p50": 1900, "p99": 4000, "up": 0, "broker_cores": 0.05, "writes": 5, "flushes": 4},
            **{"syncs": 2, "queue": 0.001, "busy": 0.05, "io_pressure": 0.02},
        },
    ),
    (
        "the load generator collects garbage",
        "load_generator",
        {"delay_p99": 900, "p50": 8, "p99": 700, "pause_ms": 800, "lag_ms": 820},
    ),
    (
        "the load generator is late",
        "load_generator",
        {"delay_p50": 100, "delay_p99": 300, "lag_ms": 30},
    ),
]  # fmt: skip
