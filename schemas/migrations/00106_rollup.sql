-- SPDX-License-Identifier: Apache-2.0
-- Rollup: every latency by the second of the intended send, and messages and bytes by the second in which they were
-- acknowledged, received or given up on. One table holds all of it, because each materialized view costs every insert
-- some milliseconds, however few rows the view makes.
-- bucket is log-linear with 7 mantissa bits: the top 16 bits of the value as a 32-bit float, negated for negative
-- values. Buckets sum exactly over time, topics and workers; a bucket's midpoint is within 0.4 % of its values.
-- Three views insert here: each block of their tables becomes one block per view. They share this table's deduplication
-- window, so it is three times as long as theirs.

-- +goose Up
CREATE TABLE IF NOT EXISTS rollup_1s
(
    run_id LowCardinality(String)               COMMENT 'Run',
    stage  LowCardinality(String)
        COMMENT 'A latency: publish, publish_service, publish_delay, end_to_end; or work done: acked, received, failed',
    topic  LowCardinality(String)               COMMENT 'Topic',
    worker UInt16                               COMMENT 'Load generator worker, from 0',
    time   DateTime('UTC')
        COMMENT 'Latencies: second in which the messages were due; work done: second in which it happened'
        CODEC(Delta(4), ZSTD(1)),
    bucket Int16                                COMMENT 'Log-linear bucket of the latency in µs; 0 for work done'
        CODEC(Delta(2), ZSTD(1)),
    events SimpleAggregateFunction(sum, UInt64) COMMENT 'Messages' CODEC(T64, ZSTD(1)),
    bytes  SimpleAggregateFunction(sum, UInt64) COMMENT 'Bytes of message values; 0 for latencies' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, stage, topic, worker, time, bucket)
SETTINGS non_replicated_deduplication_window = 300000, auto_statistics_types = '', merge_selector_base = 20
COMMENT 'Latency histogram and work done per second, exact to merge';

-- Grouping by strings costs five times as much as grouping by two numbers. So the row's run, topic and worker are one
-- hash, and what is counted is one key: second << 32 | stage << 16 | top half of the float. The hash is computed once
-- per dictionary entry; two such hashes of one block are equal with negligible probability.
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
    SELECT any(run_id) AS of_run, any(topic) AS of_topic, any(worker) AS of_worker, key, count() AS messages,
        sum(payload_bytes) AS size
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
    SELECT any(run_id) AS of_run, any(topic) AS of_topic, any(worker) AS of_worker, key, count() AS messages,
        sum(payload_bytes) AS size
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

-- value_us is the midpoint of the bucket, rounded down: up to 256 µs a bucket holds one value, or two, and value_us is
-- the lower one.
-- This view and the next have no GROUP BY. Data parts that are not merged yet may hold a second, or a bucket of it, in
-- several rows; every reader sums, and a sum of sums is the same. Grouping here first cost five times as much.
CREATE OR REPLACE VIEW v_latency_1s AS
SELECT run_id, stage, topic, worker, time, bucket,
    if(bucket < 0, -1, 1) * toInt64(floor(if(bucket = 0, 0,
        reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(bucket)), 16) + 32768)))) AS value_us,
    CAST(events, 'UInt64') AS events
FROM rollup_1s
WHERE stage IN ('publish', 'publish_service', 'publish_delay', 'end_to_end');

CREATE OR REPLACE VIEW v_throughput_1s AS
SELECT run_id, stage, topic, worker, time, CAST(events, 'UInt64') AS events, CAST(bytes, 'UInt64') AS bytes
FROM rollup_1s
WHERE stage IN ('acked', 'received', 'failed');

-- v_run_topics(run_id = …): the names of the run's topics in order, in one array.
CREATE OR REPLACE VIEW v_run_topics AS
SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) AS topics
FROM v_throughput_1s
WHERE run_id = {run_id:String};

-- v_measured_latencies(run_id = …): messages of the measure phase by stage and latency: those due in the seconds that
-- start in the phase; in a phase that has not ended, all so far.
-- One stage at a time: comparing the stage's name in each row would cost more than all of the rest.
CREATE OR REPLACE VIEW v_measured_latencies AS
WITH (SELECT (start_time, open_end_time) FROM v_measure_phase(run_id = {run_id:String})) AS measure
SELECT 'publish_delay' AS stage, value_us, sum(events) AS messages
FROM v_latency_1s AS l
WHERE run_id = {run_id:String} AND l.stage = 'publish_delay' AND time >= measure.1 AND time < measure.2
GROUP BY value_us
UNION ALL
SELECT 'publish_service' AS stage, value_us, sum(events) AS messages
FROM v_latency_1s AS l
WHERE run_id = {run_id:String} AND l.stage = 'publish_service' AND time >= measure.1 AND time < measure.2
GROUP BY value_us
UNION ALL
SELECT 'publish' AS stage, value_us, sum(events) AS messages
FROM v_latency_1s AS l
WHERE run_id = {run_id:String} AND l.stage = 'publish' AND time >= measure.1 AND time < measure.2
GROUP BY value_us
UNION ALL
SELECT 'end_to_end' AS stage, value_us, sum(events) AS messages
FROM v_latency_1s AS l
WHERE run_id = {run_id:String} AND l.stage = 'end_to_end' AND time >= measure.1 AND time < measure.2
GROUP BY value_us;

-- v_newest_seconds(run_id = …, stage = …, from = …, to = …, most_rows = …): the newest seconds of a window that
-- together hold at most most_rows messages.
CREATE OR REPLACE VIEW v_newest_seconds AS
SELECT second
FROM
(
    SELECT second, sum(messages) OVER (ORDER BY second DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto
    FROM
    (
        SELECT v.time AS second, sum(v.events) AS messages
        FROM v_latency_1s AS v
        WHERE run_id = {run_id:String} AND stage = {stage:String}
            AND v.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
        GROUP BY second
    )
)
WHERE upto <= {most_rows:UInt64};
