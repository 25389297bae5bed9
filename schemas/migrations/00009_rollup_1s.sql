-- rollup_1s: every latency by the second in which its message was *due* (intended send), and messages and bytes by
-- the second in which they were acknowledged, received or given up on. One table, because each view behind an
-- insert costs the engine some milliseconds, however few rows it makes.
-- bucket is log-linear with 7 mantissa bits: the top 16 bits of the value as a 32-bit float, negated for
-- negative values. Buckets sum exactly over time, topics and workers; a bucket's midpoint is within 0.4 %.
-- Three views insert here, one block each for every block of their tables, and share this table's deduplication
-- window: it is three times theirs.

-- +goose Up
CREATE TABLE IF NOT EXISTS rollup_1s
(
    run_id LowCardinality(String)               COMMENT 'Run',
    stage  LowCardinality(String)               COMMENT 'A latency: publish, publish_service, publish_delay, end_to_end; or work done: acked, received, failed',
    topic  LowCardinality(String)               COMMENT 'Topic',
    worker UInt16                               COMMENT 'Load generator worker, from 0',
    time   DateTime('UTC')                      COMMENT 'Latencies: second in which the messages were due; work done: second in which it happened' CODEC(Delta(4), ZSTD(1)),
    bucket Int16                                COMMENT 'Log-linear bucket of the latency in µs; 0 for work done' CODEC(Delta(2), ZSTD(1)),
    events SimpleAggregateFunction(sum, UInt64) COMMENT 'Messages' CODEC(T64, ZSTD(1)),
    bytes  SimpleAggregateFunction(sum, UInt64) COMMENT 'Bytes of message values; 0 for latencies' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, stage, topic, worker, time, bucket)
SETTINGS non_replicated_deduplication_window = 300000, auto_statistics_types = '', merge_selector_base = 20
COMMENT 'Latency histogram and work done per second, exact to merge';
