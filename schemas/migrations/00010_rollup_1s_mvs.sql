-- What fills rollup_1s. Grouping by strings costs five times as much as grouping by two numbers, so a row's place
-- (run, topic, worker) goes in as a hash and what is counted as one key: second << 32 | stage << 16 | top half of the
-- float. The hash is computed once per dictionary entry; 64 bits of it do not meet within a block by accident.

-- +goose Up
CREATE MATERIALIZED VIEW IF NOT EXISTS publishes_rollup_1s_mv TO rollup_1s AS
SELECT
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
    SELECT any(run_id) AS of_run, any(topic) AS of_topic, any(worker) AS of_worker, key, count() AS messages, sum(payload_bytes) AS size
    FROM
    (
        SELECT run_id, topic, worker, payload_bytes,
            cityHash64(run_id) * 3 + cityHash64(topic) + worker AS place,
            toUInt64(toUnixTimestamp(intended_time)) * 4294967296 AS due,
            toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time) AS us,
            arrayJoin([
                due + 65536 + bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16),
                due + 131072 + bitShiftRight(reinterpretAsUInt32(toFloat32(us - publish_delay_us)), 16),
                due + 196608 + bitShiftRight(reinterpretAsUInt32(toFloat32(publish_delay_us)), 16),
                toUInt64(toUnixTimestamp(ack_time)) * 4294967296 + 262144
            ]) AS key
        FROM publishes
    )
    GROUP BY place, key
);

CREATE MATERIALIZED VIEW IF NOT EXISTS deliveries_rollup_1s_mv TO rollup_1s AS
SELECT
    of_run AS run_id,
    ['end_to_end', 'received'][bitAnd(bitShiftRight(key, 16), 7)] AS stage,
    of_topic AS topic,
    of_worker AS worker,
    toDateTime(bitShiftRight(key, 32), 'UTC') AS time,
    toInt16(if(bitTest(key, 15), -1, 1) * toInt32(bitAnd(key, 32767))) AS bucket,
    messages AS events,
    if(stage = 'received', size, 0) AS bytes
FROM
(
    SELECT any(run_id) AS of_run, any(topic) AS of_topic, any(worker) AS of_worker, key, count() AS messages, sum(payload_bytes) AS size
    FROM
    (
        SELECT run_id, topic, worker, payload_bytes,
            cityHash64(run_id) * 3 + cityHash64(topic) + worker AS place,
            toUInt64(toUnixTimestamp(intended_time)) * 4294967296 AS due,
            toUnixTimestamp64Micro(receive_time) - toUnixTimestamp64Micro(intended_time) AS us,
            arrayJoin([
                due + 65536 + bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16),
                toUInt64(toUnixTimestamp(receive_time)) * 4294967296 + 131072
            ]) AS key
        FROM deliveries
    )
    GROUP BY place, key
);

CREATE MATERIALIZED VIEW IF NOT EXISTS publish_failures_rollup_1s_mv TO rollup_1s AS
SELECT run_id, 'failed' AS stage, topic, worker, toDateTime(fail_time, 'UTC') AS time, toInt16(0) AS bucket,
    count() AS events, sum(toUInt64(payload_bytes)) AS bytes
FROM publish_failures
GROUP BY run_id, stage, topic, worker, time;
