# SPDX-License-Identifier: Apache-2.0
"""The facts that rooms share. Generated from contracts/*.yaml by make contracts; do not edit."""

# Stream → its columns, in order, with their ClickHouse types.
STREAMS = {
    "publishes": {
        "run_id": "LowCardinality(String)",
        "worker": "UInt16",
        "producer": "UInt32",
        "topic": "LowCardinality(String)",
        "partition": "Int32",
        "offset": "Int64",
        "intended_time": "DateTime64(6, 'UTC')",
        "publish_delay_us": "Int64",
        "ack_time": "DateTime64(6, 'UTC')",
        "payload_bytes": "UInt32",
    },
    "deliveries": {
        "run_id": "LowCardinality(String)",
        "worker": "UInt16",
        "subscription": "UInt16",
        "consumer": "UInt32",
        "producer": "UInt32",
        "topic": "LowCardinality(String)",
        "partition": "Int32",
        "offset": "Int64",
        "intended_time": "DateTime64(6, 'UTC')",
        "receive_time": "DateTime64(6, 'UTC')",
        "payload_bytes": "UInt32",
    },
    "publish_failures": {
        "run_id": "LowCardinality(String)",
        "worker": "UInt16",
        "producer": "UInt32",
        "topic": "LowCardinality(String)",
        "partition": "Int32",
        "intended_time": "DateTime64(6, 'UTC')",
        "publish_delay_us": "Int64",
        "fail_time": "DateTime64(6, 'UTC')",
        "payload_bytes": "UInt32",
        "error_class": "LowCardinality(String)",
    },
    "run_events": {
        "run_id": "LowCardinality(String)",
        "worker": "UInt16",
        "time": "DateTime64(6, 'UTC')",
        "kind": "LowCardinality(String)",
        "name": "LowCardinality(String)",
        "detail": "String",
    },
    "partition_leaders": {
        "run_id": "LowCardinality(String)",
        "worker": "UInt16",
        "time": "DateTime64(6, 'UTC')",
        "topic": "LowCardinality(String)",
        "partition": "Int32",
        "leader": "Int32",
        "leader_host": "LowCardinality(String)",
    },
    "ledger": {
        "run_id": "LowCardinality(String)",
        "worker": "UInt16",
        "stream": "LowCardinality(String)",
        "kind": "LowCardinality(String)",
        "reason": "LowCardinality(String)",
        "events": "UInt64",
        "from_time": "DateTime64(6, 'UTC')",
        "to_time": "DateTime64(6, 'UTC')",
    },
}

# Stream → the ledger kind that its recorded rows must equal.
ROW_KINDS = {"publishes": "acked", "publish_failures": "failed", "deliveries": "received"}

# Loss reason → its meaning.
LOSS_REASONS = {
    "recorder_full": "the encoder was so far behind that no memory was left to record into",
    "memory_full": "without a spool: blocks could not be delivered and filled their share of memory",
    "spool_full": "with a spool: it had reached its limit, or its drive was full or failed, and memory was full too",
    "spool_damaged": "the drive did not return what was written to the spool; an earlier process may "
    "have stored these rows",
    "refused": "the collector refused the block for good",
    "not_encoded": "a block could not be encoded; a defect of the load generator",
    "unshipped_at_deadline": "the run ended without an answer, and the block was not in the spool; "
    "these rows may be stored nevertheless",
    "killed": "the load generator died; its last checkpoint, at `to_time`, had counted these rows, "
    "and they had not reached the spool. Those in blocks that were in memory alone may be "
    "stored nevertheless. Also present with 0 events: then no row is known to be missing. "
    "Rows recorded after the checkpoint are in no count ([spool.md](spool.md))",
}

# Loss reasons whose rows may be stored nevertheless.
MAYBE_STORED = ("spool_damaged", "unshipped_at_deadline", "killed")

# The reason of a count that no checkpoint has.
UNKNOWN_REASON = "unknown"

# Kinds of run events.
EVENT_KINDS = (
    "phase",
    "phase_end",
    "consumers",
    "transaction",
    "rate",
    "rebalance",
    "topic",
    "clock",
    "clock_step",
    "corruption",
    "leader_change",
    "traces",
    "error",
    "alert",
    "mark",
    "import",
)

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
    "broker_sync_ms": "the broker's syncs",
    "broker_io_pressure": "IO pressure of the broker",
    "broker_cpu_pressure": "CPU pressure of the broker",
    "host_busy_share": "busy time of the host's CPUs",
    "host_steal_cores": "CPU time stolen from the host",
    "broker_gc_share": "garbage collection of the broker",
    "produce_queue_ms": "produce requests' wait in the broker",
    "produce_local_ms": "produce time in the broker's log",
    "log_flush_ms": "the broker's log flushes",
    "segments_deleted_per_s": "deleted log segments",
    "loader_lag_ms": "lateness of the load generator's threads",
}

# Replaces a secret value.
MASK = "***"

# Found in the name of a secret, in any case of letters.
HIDDEN_NAMES = "password|passwd|jaas|secret|token|credential|keystore\\.key|(?:private|access|api)[._-]?key"

# Done.
EXIT_OK = 0

# A run or its audit failed.
EXIT_FAILED = 1

# Bad input: a file, an option or the machine must be put right first.
EXIT_BAD_INPUT = 2

# Interrupted by sigint or sigterm, as a shell reports it.
EXIT_INTERRUPTED = 130
