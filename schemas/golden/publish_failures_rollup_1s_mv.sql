CREATE MATERIALIZED VIEW default.publish_failures_rollup_1s_mv TO default.rollup_1s
(
    `run_id` LowCardinality(String),
    `stage` String,
    `topic` LowCardinality(String),
    `worker` UInt16,
    `time` DateTime('UTC'),
    `bucket` Int16,
    `events` UInt64,
    `bytes` UInt64
)
AS SELECT
    run_id,
    'failed' AS stage,
    topic,
    worker,
    toDateTime(fail_time, 'UTC') AS time,
    toInt16(0) AS bucket,
    count() AS events,
    sum(toUInt64(payload_bytes)) AS bytes
FROM default.publish_failures
GROUP BY
    run_id,
    stage,
    topic,
    worker,
    time;
