-- throughput_1s: messages and bytes by the second in which they were acknowledged or received.
-- latency_1s counts by the second a message was due; this one by the second the work was done.
-- Three views insert here and share this table's deduplication window: it is three times their tables'.

-- +goose Up
CREATE TABLE IF NOT EXISTS throughput_1s
(
    run_id LowCardinality(String)               COMMENT 'Run',
    stage  LowCardinality(String)               COMMENT 'acked, received or failed',
    topic  LowCardinality(String)               COMMENT 'Topic',
    worker UInt16                               COMMENT 'Load generator worker, from 0',
    time   DateTime('UTC')                      COMMENT 'Second in which it happened' CODEC(Delta(4), ZSTD(1)),
    events SimpleAggregateFunction(sum, UInt64) COMMENT 'Messages' CODEC(T64, ZSTD(1)),
    bytes  SimpleAggregateFunction(sum, UInt64) COMMENT 'Bytes of message values' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, stage, topic, worker, time)
SETTINGS non_replicated_deduplication_window = 300000
COMMENT 'Messages and bytes per second';

CREATE MATERIALIZED VIEW IF NOT EXISTS publishes_throughput_1s_mv TO throughput_1s AS
SELECT run_id, 'acked' AS stage, topic, worker, toDateTime(ack_time, 'UTC') AS time,
    count() AS events, sum(toUInt64(payload_bytes)) AS bytes
FROM publishes
GROUP BY run_id, stage, topic, worker, time;

CREATE MATERIALIZED VIEW IF NOT EXISTS deliveries_throughput_1s_mv TO throughput_1s AS
SELECT run_id, 'received' AS stage, topic, worker, toDateTime(receive_time, 'UTC') AS time,
    count() AS events, sum(toUInt64(payload_bytes)) AS bytes
FROM deliveries
GROUP BY run_id, stage, topic, worker, time;

CREATE MATERIALIZED VIEW IF NOT EXISTS publish_failures_throughput_1s_mv TO throughput_1s AS
SELECT run_id, 'failed' AS stage, topic, worker, toDateTime(fail_time, 'UTC') AS time,
    count() AS events, sum(toUInt64(payload_bytes)) AS bytes
FROM publish_failures
GROUP BY run_id, stage, topic, worker, time;
