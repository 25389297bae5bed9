CREATE TABLE default.publish_failures
(
    `run_id` LowCardinality(String) COMMENT 'Run that sent the message',
    `worker` UInt16 COMMENT 'Load generator worker, from 0',
    `producer` UInt32 COMMENT 'Producer, numbered over the whole run from 0',
    `topic` LowCardinality(String) COMMENT 'Topic',
    `partition` Int32 COMMENT 'Partition, or -1 where none was chosen',
    `intended_time` DateTime64(6, 'UTC') COMMENT 'When the schedule wanted the message sent',
    `publish_delay_us` Int64 COMMENT 'Actual send minus intended send, µs',
    `fail_time` DateTime64(6, 'UTC') COMMENT 'When the producer reported the failure',
    `payload_bytes` UInt32 COMMENT 'Message value size',
    `error_class` LowCardinality(String) COMMENT 'Simple class name of the exception (OpenTelemetry error.type)',
    `sequence` Int64 DEFAULT -1 COMMENT 'Number of the message within its producer, from 0; -1 in rows of older versions',
    `tie` UInt32 COMMENT 'Messages of its producer just before it with the same intended send'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(intended_time)
ORDER BY (run_id, topic, intended_time)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'One row per message that failed to publish';
