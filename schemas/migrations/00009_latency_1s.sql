-- latency_1s: rollup of every latency by the second in which the message was *due* (intended send).
-- bucket is log-linear with 7 mantissa bits: the top 16 bits of the value as a 32-bit float, negated for
-- negative values. Buckets sum exactly over time, topics and workers; a bucket's midpoint is within 0.4 %.
-- Two views insert here, one block each for every block of their tables, and share this table's deduplication
-- window: it is twice theirs.

-- +goose Up
CREATE TABLE IF NOT EXISTS latency_1s
(
    run_id LowCardinality(String)                COMMENT 'Run',
    stage  LowCardinality(String)                COMMENT 'publish, publish_service, publish_delay or end_to_end',
    topic  LowCardinality(String)                COMMENT 'Topic',
    worker UInt16                                COMMENT 'Load generator worker, from 0',
    time   DateTime('UTC')                       COMMENT 'Second in which the messages were due' CODEC(Delta(4), ZSTD(1)),
    bucket Int16                                 COMMENT 'Log-linear bucket of the latency in µs' CODEC(Delta(2), ZSTD(1)),
    events SimpleAggregateFunction(sum, UInt64)  COMMENT 'Messages in the bucket' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, stage, topic, worker, time, bucket)
SETTINGS non_replicated_deduplication_window = 200000
COMMENT 'Latency histogram per second, exact to merge';

CREATE MATERIALIZED VIEW IF NOT EXISTS publishes_latency_1s_mv TO latency_1s AS
SELECT
    run_id,
    latency.1 AS stage,
    topic,
    worker,
    toDateTime(intended_time, 'UTC') AS time,
    toInt16(if(latency.2 < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt32(toFloat32(abs(latency.2))), 16))) AS bucket,
    count() AS events
FROM publishes
ARRAY JOIN [
    ('publish', toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time)),
    ('publish_service', toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time) - publish_delay_us),
    ('publish_delay', publish_delay_us)
] AS latency
GROUP BY run_id, stage, topic, worker, time, bucket;

CREATE MATERIALIZED VIEW IF NOT EXISTS deliveries_latency_1s_mv TO latency_1s AS
SELECT
    run_id,
    'end_to_end' AS stage,
    topic,
    worker,
    toDateTime(intended_time, 'UTC') AS time,
    toInt16(if(us < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt32(toFloat32(abs(us))), 16))) AS bucket,
    count() AS events
FROM
(
    SELECT run_id, topic, worker, intended_time,
        toUnixTimestamp64Micro(receive_time) - toUnixTimestamp64Micro(intended_time) AS us
    FROM deliveries
)
GROUP BY run_id, stage, topic, worker, time, bucket;
