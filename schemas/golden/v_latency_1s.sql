CREATE VIEW default.v_latency_1s
(
    `run_id` LowCardinality(String),
    `stage` LowCardinality(String),
    `topic` LowCardinality(String),
    `worker` UInt16,
    `time` DateTime('UTC'),
    `bucket` Int16,
    `value_us` Int64,
    `events` UInt64
)
AS SELECT
    run_id,
    stage,
    topic,
    worker,
    time,
    bucket,
    if(bucket < 0, -1, 1) * toInt64(floor(if(bucket = 0, 0, reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(bucket)), 16) + 32768)))) AS value_us,
    CAST(events, 'UInt64') AS events
FROM default.rollup_1s
WHERE stage IN ('publish', 'publish_service', 'publish_delay', 'end_to_end');
