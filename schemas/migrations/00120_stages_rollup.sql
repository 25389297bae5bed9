-- SPDX-License-Identifier: Apache-2.0
-- Rollup of the stages of messages, by the second of the intended send. It joins messages to requests, so no view of
-- one block can fill it: tailrace computes it once at the run's end, window by window, and again when rows were added.
-- stages_made has a row for each computation that ended; rows of others are not read.
--
-- band: the slowest messages of each second, by their whole latency: 2 those from the 99th percentile on, 1 those below
-- from the 90th on, 0 the others. So the slowest 10 % are the bands 1 and 2.
-- by and place: run and '', or broker, partition, producer, or reason (of messages without stages). Rows by run are a
-- histogram, log-linear as rollup_1s, with 5 mantissa bits (within 1.6 %); other rows have one bucket, 0. Stages of
-- 0 µs have no rows, and the stage latency, which all messages have, is their whole latency.

-- +goose Up
CREATE TABLE IF NOT EXISTS stages_1s
(
    run_id    LowCardinality(String) COMMENT 'Run',
    made_time DateTime64(6, 'UTC')   COMMENT 'Computation that the row is of' CODEC(ZSTD(1)),
    side      LowCardinality(String) COMMENT 'publish or delivery',
    by        LowCardinality(String) COMMENT 'run, broker, partition, producer or reason',
    time      DateTime('UTC')        COMMENT 'Second of the intended send' CODEC(Delta(4), ZSTD(1)),
    stage     LowCardinality(String) COMMENT 'Stage, or latency: the whole',
    place     LowCardinality(String) COMMENT 'Which broker, topic/partition, producer or reason; empty by run',
    band      UInt8                  COMMENT '2: slowest 1 % of the second; 1: other slowest 10 %; 0: others'
        CODEC(ZSTD(1)),
    bucket    Int16                  COMMENT 'Log-linear bucket of the time in µs, of 5 mantissa bits; 0 unless by run'
        CODEC(Delta(2), ZSTD(1)),
    messages  UInt64                 COMMENT 'Messages' CODEC(T64, ZSTD(1)),
    us        Int64                  COMMENT 'Sum of their times in the stage, µs' CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, side, by, time, stage, place, band, bucket)
COMMENT 'Time in each stage per second, computed at the run''s end';

CREATE TABLE IF NOT EXISTS stages_made
(
    run_id     LowCardinality(String) COMMENT 'Run',
    made_time  DateTime64(6, 'UTC')   COMMENT 'When the computation began; names it',
    requests   UInt64                 COMMENT 'Request rows of the run then',
    published  UInt64                 COMMENT 'Acknowledged messages',
    delivered  UInt64                 COMMENT 'Deliveries'
)
ENGINE = MergeTree
ORDER BY (run_id, made_time)
COMMENT 'One row per finished computation of stages_1s';

CREATE OR REPLACE VIEW v_stages_made AS
SELECT run_id, made_time, requests, published, delivered
FROM stages_made;

-- v_stages_1s(run_id = …): the rows of the newest computation.
CREATE OR REPLACE VIEW v_stages_1s AS
SELECT side, by, time, stage, place, band, bucket,
    if(bucket < 0, -1, 1) * toInt64(floor(if(bucket = 0, 0,
        reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(bucket)), 18) + 131072)))) AS value_us,
    messages, us
FROM stages_1s
WHERE run_id = {run_id:String}
    AND made_time = (SELECT max(made_time) FROM stages_made WHERE run_id = {run_id:String});

-- v_stage_parts(run_id = …, from_s = …, to_s = …): both sides of the messages of a window, each with its latency, its
-- band and its time in each stage, in the order of v_stage_names.
CREATE OR REPLACE VIEW v_stage_parts AS
SELECT m.side AS side, toUInt32(toUnixTimestamp(m.intended_time)) AS second, m.us AS us,
    toUInt8(us >= l.slow[1]) + toUInt8(us >= l.slow[2]) AS band,
    m.broker AS broker, m.topic AS topic, m.partition AS partition, m.producer AS producer,
    m.not_measured AS not_measured, m.parts AS parts
FROM
(
    SELECT 'publish' AS side, intended_time, publish_latency_us AS us, broker, topic, partition, producer, not_measured,
        [schedule_us, client_us, throttle_us, request_queue_us, lock_wait_us, segment_roll_us, append_us, log_flush_us,
            handler_us, replication_us, response_queue_us, to_client_us, 0, 0, 0, 0, 0, unattributed_us,
            not_measured_us]::Array(Int64) AS parts
    FROM v_published_stages(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
    UNION ALL
    SELECT 'delivery' AS side, intended_time, end_to_end_us AS us, broker, topic, partition, producer, not_measured,
        [schedule_us, client_us, throttle_us, request_queue_us, lock_wait_us, segment_roll_us, append_us, log_flush_us,
            handler_us, replication_us, 0, 0, fetch_wait_us, fetch_queue_us, fetch_read_us, fetch_send_us, consumer_us,
            unattributed_us, not_measured_us]::Array(Int64) AS parts
    FROM v_delivered_stages(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
) AS m
INNER JOIN
(
    SELECT 'publish' AS side, toUnixTimestamp(intended_time) AS second,
        quantilesExactLow(0.9, 0.99)(publish_latency_us) AS slow
    FROM v_publishes
    WHERE run_id = {run_id:String} AND intended_time >= fromUnixTimestamp({from_s:UInt32})
        AND intended_time < fromUnixTimestamp({to_s:UInt32})
    GROUP BY second
    UNION ALL
    SELECT 'delivery' AS side, toUnixTimestamp(intended_time) AS second,
        quantilesExactLow(0.9, 0.99)(end_to_end_us) AS slow
    FROM v_deliveries
    WHERE run_id = {run_id:String} AND intended_time >= fromUnixTimestamp({from_s:UInt32})
        AND intended_time < fromUnixTimestamp({to_s:UInt32})
    GROUP BY second
) AS l ON m.side = l.side AND toUnixTimestamp(m.intended_time) = l.second;

CREATE OR REPLACE VIEW v_stage_names AS
SELECT ['schedule', 'client', 'throttle', 'request_queue', 'lock_wait', 'segment_roll', 'append', 'log_flush',
    'handler', 'replication', 'response_queue', 'to_client', 'fetch_wait', 'fetch_queue', 'fetch_read', 'fetch_send',
    'consumer', 'unattributed', 'not_measured'] AS names;

-- v_stage_histogram(run_id = …, from_s = …, to_s = …): rows of stages_1s by run. What is counted is one key, which
-- costs a fraction of grouping by five columns: second << 32 | delivery << 28 | band << 24 | stage << 16 | top 14 bits
-- of the float.
CREATE OR REPLACE VIEW v_stage_histogram AS
WITH (SELECT arrayConcat(['latency'], names) FROM v_stage_names) AS names
SELECT
    if(bitTest(key, 28), 'delivery', 'publish') AS side, 'run' AS by, toDateTime(bitShiftRight(key, 32), 'UTC') AS time,
    names[bitAnd(bitShiftRight(key, 16), 255) + 1] AS stage, '' AS place,
    toUInt8(bitAnd(bitShiftRight(key, 24), 15)) AS band,
    toInt16(if(bitTest(key, 13), -1, 1) * toInt32(bitAnd(key, 8191))) AS bucket,
    counted AS messages, total AS us
FROM
(
    SELECT place + number * 65536 + bitShiftRight(reinterpretAsUInt32(toFloat32(spent)), 18) AS key,
        count() AS counted, sum(spent) AS total
    FROM
    (
        SELECT toUInt64(second) * 4294967296 + (side = 'delivery') * 268435456 + band * 16777216 AS place,
            arrayConcat([us], parts) AS whole
        FROM v_stage_parts(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
    )
    ARRAY JOIN whole AS spent, arrayMap(n -> toUInt64(n - 1), arrayEnumerate(whole)) AS number
    WHERE spent != 0 OR number = 0
    GROUP BY key
);

-- v_stage_places(run_id = …, from_s = …, to_s = …): rows of stages_1s by broker, partition, producer and reason.
CREATE OR REPLACE VIEW v_stage_places AS
WITH (SELECT arrayConcat(['latency'], names) FROM v_stage_names) AS names
SELECT side, entry.1 AS by, toDateTime(second, 'UTC') AS time, stage, entry.2 AS place, band, toInt16(0) AS bucket,
    sum(counted) AS messages, sum(spent) AS us
FROM
(
    SELECT side, second, band,
        arrayJoin(arrayFilter(e -> e.2 != '', [('broker', toString(broker)),
            ('partition', topic || '/' || toString(partition)), ('producer', toString(producer)),
            ('reason', CAST(not_measured, 'String'))])) AS entry,
        totals, counts
    FROM
    (
        SELECT side, second, band, broker, topic, partition, producer, not_measured,
            sumForEach(arrayConcat([us], parts)) AS totals,
            sumForEach(arrayConcat([1::UInt64], arrayMap(part -> toUInt64(part != 0), parts))) AS counts
        FROM v_stage_parts(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
        GROUP BY side, second, band, broker, topic, partition, producer, not_measured
    )
)
ARRAY JOIN totals AS spent, counts AS counted, names AS stage
WHERE counted > 0
GROUP BY side, second, band, stage, entry;
