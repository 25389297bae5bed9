CREATE TABLE default.latency_1s
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `stage` LowCardinality(String) COMMENT 'publish, publish_service, publish_delay or end_to_end',
    `topic` LowCardinality(String) COMMENT 'Topic',
    `worker` UInt16 COMMENT 'Load generator worker, from 0',
    `time` DateTime('UTC') COMMENT 'Second in which the messages were due' CODEC(Delta(4), ZSTD(1)),
    `bucket` Int16 COMMENT 'Log-linear bucket of the latency in µs' CODEC(Delta(2), ZSTD(1)),
    `events` SimpleAggregateFunction(sum, UInt64) COMMENT 'Messages in the bucket' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, stage, topic, worker, time, bucket)
SETTINGS non_replicated_deduplication_window = 200000, index_granularity = 8192
COMMENT 'Latency histogram per second, exact to merge';
