# SPDX-License-Identifier: Apache-2.0
"""Signals in the words of people, for pages; commands and JSON keep the queries' own names."""

NAMES = {
    "drive_write_ms": "write latency of the drive",
    "drive_read_ms": "read latency of the drive",
    "drive_flush_ms": "flush latency of the drive",
    "drive_queue": "queue of the drive",
    "drive_busy_share": "busy time of the drive",
    "drive_writes_per_s": "writes of the drive",
    "drive_reads_per_s": "reads of the drive",
    "drive_read_mb_per_s": "bytes read from the drive",
    "drive_flushes_per_s": "flushes of the drive",
    "drive_written_mb_per_s": "bytes written to the drive",
    "drive_discards_per_s": "discards of the drive",
    "request_write_ms": "write latency of single requests",
    "broker_sync_ms": "the broker's syncs",
    "log_flush_ms": "the broker's log flushes",
    "broker_io_pressure": "IO pressure of the broker",
    "produce_local_ms": "produce time in the broker's log",
    "produce_queue_ms": "produce requests' wait in the broker",
    "broker_gc_share": "garbage collection of the broker",
    "broker_cpu_pressure": "CPU pressure of the broker",
    "segments_deleted_per_s": "deleted log segments",
    "host_busy_share": "busy time of the host's CPUs",
    "host_steal_cores": "CPU time stolen from the host",
    "loader_lag_ms": "lateness of the load generator's threads",
}
STAGES = {"publish_": "publish ", "end_to_end_": "end-to-end "}


def readable(name: str, device: str = "", host: str = "") -> str:
    """``drive_write_ms``, ``sdb``, ``b2`` → ``write latency of sdb on b2``."""
    for stage, words in STAGES.items():
        if name.startswith(stage):
            return words + name.removeprefix(stage).removesuffix("_ms").replace("_", ".")
    words = NAMES.get(name, name.replace("_", " "))
    if device:
        found = words.removesuffix(" the drive")
        words = f"{found} {device}" if found != words else f"{words} ({device})"
    return f"{words} on {host}" if host else words
