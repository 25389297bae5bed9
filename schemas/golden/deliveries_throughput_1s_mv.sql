CREATE MATERIALIZED VIEW default.deliveries_throughput_1s_mv TO default.throughput_1s
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
    'received' AS stage,
    topic,
    worker,
    toDateTime(receive_time, 'UTC') AS time,
    count() AS events,
    sum(toUInt64(payload_bytes)) AS bytes
FROM default.deliveries
GROUP BY
    run_id,
    stage,
    topic,
    worker,
    time;
