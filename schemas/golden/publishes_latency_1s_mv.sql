CREATE MATERIALIZED VIEW default.publishes_latency_1s_mv TO default.latency_1s
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
    latency.1 AS stage,
    topic,
    worker,
    toDateTime(intended_time, 'UTC') AS time,
    toInt16(if((latency.2) < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt32(toFloat32(abs(latency.2))), 16))) AS bucket,
    count() AS events
FROM default.publishes
ARRAY JOIN [('publish', toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time)), ('publish_service', (toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time)) - publish_delay_us), ('publish_delay', publish_delay_us)] AS latency
GROUP BY
    run_id,
    stage,
    topic,
    worker,
    time,
    bucket;
