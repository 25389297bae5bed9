CREATE TABLE default.throughput_1s
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `stage` LowCardinality(String) COMMENT 'acked, received or failed',
    `topic` LowCardinality(String) COMMENT 'Topic',
    `worker` UInt16 COMMENT 'Load generator worker, from 0',
    `time` DateTime('UTC') COMMENT 'Second in which it happened' CODEC(Delta(4), ZSTD(1)),
    `events` SimpleAggregateFunction(sum, UInt64) COMMENT 'Messages' CODEC(T64, ZSTD(1)),
    `bytes` SimpleAggregateFunction(sum, UInt64) COMMENT 'Bytes of message values' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, stage, topic, worker, time)
SETTINGS non_replicated_deduplication_window = 300000, index_granularity = 8192
COMMENT 'Messages and bytes per second';
