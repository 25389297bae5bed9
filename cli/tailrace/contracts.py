# SPDX-License-Identifier: Apache-2.0
"""The facts that rooms share. Generated from contracts/*.yaml by make contracts; do not edit."""

# Stream → the ledger kind that its recorded rows must equal.
ROW_KINDS = {"publishes": "acked", "publish_failures": "failed", "deliveries": "received", "transactions": "ended"}

# Loss reason: the encoder was so far behind that no memory was left to record into.
LOSS_RECORDER_FULL = "recorder_full"

# Loss reason: without a spool: blocks could not be delivered and filled their share of memory.
LOSS_MEMORY_FULL = "memory_full"

# Loss reason: with a spool: it had reached its limit, or its drive was full or failed, and memory was full too.
LOSS_SPOOL_FULL = "spool_full"

# Loss reason: the drive did not return what was written to the spool.
LOSS_SPOOL_DAMAGED = "spool_damaged"

# Loss reason: the collector refused the block for good.
LOSS_REFUSED = "refused"

# Loss reason: a block could not be encoded.
LOSS_NOT_ENCODED = "not_encoded"

# Loss reason: the run ended without an answer, and the block was not in the spool.
LOSS_UNSHIPPED_AT_DEADLINE = "unshipped_at_deadline"

# Loss reason: the load generator died.
LOSS_KILLED = "killed"

# Seconds of rows that a killed load generator may lose at most.
KILLED_LOSES_SECONDS = 3

# Durability of run and stack → seconds of rows that a power loss may lose at most.
POWER_LOSES_SECONDS = {"none": 40, "fsync": 5}

# Loss reasons whose rows may be stored nevertheless.
MAYBE_STORED = ("spool_damaged", "unshipped_at_deadline", "killed")

# Stage → its title.
STAGES = {
    "publish": "Publish latency",
    "publish_service": "Publish service time",
    "publish_delay": "Publish delay",
    "end_to_end": "End-to-end latency",
}

# Causes that explain can name.
CAUSES = (
    "slow_drive",
    "slow_flush",
    "throttled_above_drive",
    "drive_neighbour",
    "cpu_starvation",
    "broker_pause",
    "network",
    "retention_delete",
    "leader_change",
    "consumer_stalled",
    "load_generator",
    "unknown",
)

# Causes that cannot be attributed to one broker.
CAUSES_OF_NO_BROKER = ("network", "leader_change", "consumer_stalled", "load_generator", "unknown")

# Signals made of metrics.
SIGNALS = (
    "drive_write_ms",
    "drive_read_ms",
    "drive_flush_ms",
    "drive_own_write_ms",
    "drive_queue",
    "drive_busy_share",
    "drive_writes_per_s",
    "drive_reads_per_s",
    "drive_flushes_per_s",
    "drive_written_mb_per_s",
    "drive_read_mb_per_s",
    "drive_discards_per_s",
    "request_write_ms",
    "other_requests_per_s",
    "broker_sync_ms",
    "broker_io_pressure",
    "broker_cpu_pressure",
    "broker_memory_pressure",
    "host_io_pressure",
    "host_cpu_pressure",
    "host_memory_pressure",
    "broker_cores",
    "loader_cores",
    "broker_stopped",
    "loader_stopped",
    "tailrace_cores",
    "host_busy_cores",
    "host_busy_share",
    "host_steal_cores",
    "broker_written_mb_per_s",
    "broker_read_mb_per_s",
    "dirty_mb",
    "writeback_mb",
    "retransmits_per_s",
    "network_received_mb_per_s",
    "network_drops_per_s",
    "broker_answers",
    "broker_scrape_ms",
    "broker_gc_share",
    "handler_idle_share",
    "request_queue",
    "produce_ms",
    "produce_queue_ms",
    "produce_local_ms",
    "produce_remote_ms",
    "produce_send_ms",
    "produce_requests_per_s",
    "fetch_ms",
    "fetch_send_ms",
    "fetch_requests_per_s",
    "log_flush_ms",
    "log_flushes_per_s",
    "retention_messages_per_s",
    "segments_deleted_per_s",
    "leaders_moved_per_s",
    "under_replicated",
    "loader_lag_ms",
    "loader_pause_ms",
)

# Signal → its title, where it has one.
SIGNAL_TITLES = {
    "drive_write_ms": "write latency of the drive",
    "drive_read_ms": "read latency of the drive",
    "drive_flush_ms": "flush latency of the drive",
    "drive_queue": "queue of the drive",
    "drive_busy_share": "busy time of the drive",
    "drive_writes_per_s": "writes of the drive",
    "drive_reads_per_s": "reads of the drive",
    "drive_flushes_per_s": "flushes of the drive",
    "drive_written_mb_per_s": "bytes written to the drive",
    "drive_read_mb_per_s": "bytes read from the drive",
    "drive_discards_per_s": "discards of the drive",
    "request_write_ms": "write latency of single requests",
    "broker_sync_ms": "the broker's fsyncs",
    "broker_io_pressure": "IO pressure of the broker",
    "broker_cpu_pressure": "CPU pressure of the broker",
    "host_busy_share": "busy time of the host's CPUs",
    "host_steal_cores": "CPU time stolen from the host",
    "broker_gc_share": "garbage collection of the broker",
    "produce_queue_ms": "produce requests' wait in the broker",
    "produce_local_ms": "produce time in the broker's log",
    "log_flush_ms": "the broker's log flushes",
    "segments_deleted_per_s": "deleted log segments",
    "loader_lag_ms": "scheduling lag of the load generator's threads",
}

# Names of the metrics that a run keeps.
KEPT_METRICS = (
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
    "up",
    "scrape_duration_seconds",
)

# Names among those that it leaves out.
LEFT_OUT_METRICS = "(tailrace|jvm)_.*_bucket"

# Replaces a secret value.
MASK = "***"

# Found in the name of a secret, in any case of letters.
HIDDEN_NAMES = "password|passwd|jaas|secret|token|credential|keystore\\.key|(?:private|access|api)[._-]?key"

# Exit code: done.
EXIT_OK = 0

# Exit code: a run or its audit failed.
EXIT_FAILED = 1

# Exit code: bad input: a file, an option or the machine must be put right first.
EXIT_BAD_INPUT = 2

# Exit code: interrupted by SIGINT or SIGTERM, as a shell reports it.
EXIT_INTERRUPTED = 130
