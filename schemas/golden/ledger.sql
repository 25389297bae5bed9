CREATE TABLE default.ledger
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `worker` UInt16 COMMENT 'Load generator worker, from 0',
    `stream` LowCardinality(String) COMMENT 'publishes, deliveries, publish_failures, run_events or partition_leaders',
    `kind` LowCardinality(String) COMMENT 'sent, acked, failed, unsent, received, recorded or lost',
    `reason` LowCardinality(String) COMMENT 'Why rows were lost, or messages not sent; empty for other kinds',
    `events` UInt64 COMMENT 'How many',
    `from_time` DateTime64(6, 'UTC') COMMENT 'First event counted; 1970 where it does not apply',
    `to_time` DateTime64(6, 'UTC') COMMENT 'Last event counted; 1970 where it does not apply'
)
ENGINE = MergeTree
ORDER BY (run_id, worker, stream, kind)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'Counters each worker kept by itself, for the audit';
