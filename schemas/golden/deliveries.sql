CREATE TABLE default.deliveries
(
    `run_id` LowCardinality(String) COMMENT 'Run that received the message',
    `worker` UInt16 COMMENT 'Load generator worker, from 0' CODEC(ZSTD(1)),
    `subscription` UInt16 COMMENT 'Consumer group of the topic, from 0' CODEC(ZSTD(1)),
    `consumer` UInt32 COMMENT 'Consumer, numbered over the whole run from 0' CODEC(Delta(4), ZSTD(1)),
    `producer` UInt32 COMMENT 'Producer, read from the payload' CODEC(T64, ZSTD(1)),
    `topic` LowCardinality(String) COMMENT 'Topic',
    `partition` Int32 COMMENT 'Partition' CODEC(ZSTD(1)),
    `offset` Int64 COMMENT 'Offset' CODEC(DoubleDelta, ZSTD(1)),
    `intended_time` DateTime64(6, 'UTC') COMMENT 'When the schedule wanted the message sent, read from the payload' CODEC(Delta(8), T64('bit'), ZSTD(1)),
    `receive_time` DateTime64(6, 'UTC') COMMENT 'When poll() returned the message' CODEC(Delta(8), ZSTD(1)),
    `payload_bytes` UInt32 COMMENT 'Message value size' CODEC(T64, ZSTD(1)),
    `end_to_end_us` Int64 ALIAS toUnixTimestamp64Micro(receive_time) - toUnixTimestamp64Micro(intended_time) COMMENT 'Receive minus intended send, µs; may be negative when clocks differ',
    `sequence` Int64 DEFAULT -1 COMMENT 'In runs with transactions: number within its producer, from 0, read from the payload; else -1' CODEC(Delta(8), T64('bit'), ZSTD(1)),
    `tie` UInt32 COMMENT 'Messages of its producer just before it with the same intended send, read from the payload' CODEC(T64, ZSTD(1)),
    INDEX intended_time_minmax intended_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(intended_time)
ORDER BY (run_id, worker, consumer, receive_time)
SETTINGS non_replicated_deduplication_window = 100000, auto_statistics_types = '', merge_selector_base = 20, index_granularity = 65536, index_granularity_bytes = 1073741824
COMMENT 'One row per message received, once per subscription';
