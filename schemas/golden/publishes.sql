CREATE TABLE default.publishes
(
    `run_id` LowCardinality(String) COMMENT 'Run that sent the message',
    `worker` UInt16 COMMENT 'Load generator worker, from 0' CODEC(ZSTD(1)),
    `producer` UInt32 COMMENT 'Producer, numbered over the whole run from 0' CODEC(Delta(4), ZSTD(1)),
    `topic` LowCardinality(String) COMMENT 'Topic',
    `partition` Int32 COMMENT 'Partition' CODEC(T64, ZSTD(1)),
    `offset` Int64 COMMENT 'Offset the broker acknowledged' CODEC(Delta(8), T64('bit'), ZSTD(1)),
    `intended_time` DateTime64(6, 'UTC') COMMENT 'When the schedule wanted the message sent' CODEC(Delta(8), ZSTD(3)),
    `publish_delay_us` Int64 COMMENT 'Actual send minus intended send, µs' CODEC(Delta(8), T64('bit'), ZSTD(1)),
    `ack_time` DateTime64(6, 'UTC') COMMENT 'When the producer callback ran' CODEC(Delta(8), T64('bit'), ZSTD(1)),
    `payload_bytes` UInt32 COMMENT 'Message value size' CODEC(T64, ZSTD(1)),
    `send_time` DateTime64(6, 'UTC') ALIAS intended_time + toIntervalMicrosecond(publish_delay_us) COMMENT 'When send() was called',
    `publish_latency_us` Int64 ALIAS toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time) COMMENT 'Ack minus intended send, µs: no coordinated omission',
    `publish_service_us` Int64 ALIAS (toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time)) - publish_delay_us COMMENT 'Ack minus actual send, µs: what OMB calls publish latency',
    INDEX intended_time_minmax intended_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(intended_time)
ORDER BY (run_id, worker, producer, intended_time)
SETTINGS non_replicated_deduplication_window = 100000, auto_statistics_types = '', merge_selector_base = 20, index_granularity = 65536, index_granularity_bytes = 1073741824
COMMENT 'One row per acknowledged message';
