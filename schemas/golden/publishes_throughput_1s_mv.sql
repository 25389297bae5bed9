CREATE MATERIALIZED VIEW default.publishes_throughput_1s_mv TO default.throughput_1s
(
    `run_id` LowCardinality(String),
    `stage` String,
    `topic` LowCardinality(String),
    `worker` UInt16,
    `time` DateTime('UTC'),
    `events` UInt64,
    `bytes` UInt64
)
AS SELECT
    run_id,
    'acked' AS stage,
    topic,
    worker,
    toDateTime(ack_time, 'UTC') AS time,
    count() AS events,
    sum(toUInt64(payload_bytes)) AS bytes
FROM default.publishes
GROUP BY
    run_id,
    stage,
    topic,
    worker,
    time;
