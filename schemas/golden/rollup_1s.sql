CREATE TABLE default.rollup_1s
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `stage` LowCardinality(String) COMMENT 'A latency: publish, publish_service, publish_delay, end_to_end; or work done: acked, received, failed',
    `topic` LowCardinality(String) COMMENT 'Topic',
    `worker` UInt16 COMMENT 'Load generator worker, from 0',
    `time` DateTime('UTC') COMMENT 'Latencies: second in which the messages were due; work done: second in which it happened' CODEC(Delta(4), ZSTD(1)),
    `bucket` Int16 COMMENT 'Log-linear bucket of the latency in µs; 0 for work done' CODEC(Delta(2), ZSTD(1)),
    `events` SimpleAggregateFunction(sum, UInt64) COMMENT 'Messages' CODEC(T64, ZSTD(1)),
    `bytes` SimpleAggregateFunction(sum, UInt64) COMMENT 'Bytes of message values; 0 for latencies' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, stage, topic, worker, time, bucket)
SETTINGS non_replicated_deduplication_window = 300000, auto_statistics_types = '', merge_selector_base = 20, index_granularity = 8192
COMMENT 'Latency histogram and work done per second, exact to merge';
