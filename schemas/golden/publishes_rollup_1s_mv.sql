CREATE MATERIALIZED VIEW default.publishes_rollup_1s_mv TO default.rollup_1s
(
    `run_id` String,
    `stage` String,
    `topic` String,
    `worker` UInt16,
    `time` DateTime('UTC'),
    `bucket` Int16,
    `events` UInt64,
    `bytes` UInt64
)
AS SELECT
    of_run AS run_id,
    ['publish', 'publish_service', 'publish_delay', 'acked'][bitAnd(bitShiftRight(key, 16), 7)] AS stage,
    of_topic AS topic,
    of_worker AS worker,
    toDateTime(bitShiftRight(key, 32), 'UTC') AS time,
    toInt16(if(bitTest(key, 15), -1, 1) * toInt32(bitAnd(key, 32767))) AS bucket,
    messages AS events,
    if(stage = 'acked', size, 0) AS bytes
FROM
(
    SELECT
        any(run_id) AS of_run,
        any(topic) AS of_topic,
        any(worker) AS of_worker,
        key,
        count() AS messages,
        sum(payload_bytes) AS size
    FROM
    (
        SELECT
            run_id,
            topic,
            worker,
            payload_bytes,
            ((cityHash64(run_id) * 3) + cityHash64(topic)) + worker AS place,
            toUInt64(toUnixTimestamp(intended_time)) * 4294967296 AS due,
            toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time) AS us,
            arrayJoin([(due + 65536) + bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16), (due + 131072) + bitShiftRight(reinterpretAsUInt32(toFloat32(us - publish_delay_us)), 16), (due + 196608) + bitShiftRight(reinterpretAsUInt32(toFloat32(publish_delay_us)), 16), (toUInt64(toUnixTimestamp(ack_time)) * 4294967296) + 262144]) AS key
        FROM default.publishes
    )
    GROUP BY
        place,
        key
);
