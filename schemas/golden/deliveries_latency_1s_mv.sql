CREATE MATERIALIZED VIEW default.deliveries_latency_1s_mv TO default.latency_1s
(
    `run_id` LowCardinality(String),
    `stage` String,
    `topic` LowCardinality(String),
    `worker` UInt16,
    `time` DateTime('UTC'),
    `bucket` Int16,
    `events` UInt64
)
AS SELECT
    run_id,
    'end_to_end' AS stage,
    topic,
    worker,
    toDateTime(intended_time, 'UTC') AS time,
    toInt16(if(us < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt32(toFloat32(abs(us))), 16))) AS bucket,
    count() AS events
FROM
(
    SELECT
        run_id,
        topic,
        worker,
        intended_time,
        toUnixTimestamp64Micro(receive_time) - toUnixTimestamp64Micro(intended_time) AS us
    FROM default.deliveries
)
GROUP BY
    run_id,
    stage,
    topic,
    worker,
    time,
    bucket;
