-- SPDX-License-Identifier: Apache-2.0
-- Percentiles: exact ones from the message rows, in bounded memory, and percentiles per second from the rollup.

-- +goose Up
-- v_latency_ranks_1s(run_id = …, stage = …): the latencies of one stage in order, second by second. The latency at
-- level p is values_us[arrayFirstIndex(n -> n >= ceil(p * events), upto)], the nearest rank. That costs a fifth of
-- quantilesExactWeighted, which keeps a hash table per second. The view takes one stage because that reads by the
-- table's key; comparing the stage's name in each row costs more than all of the rest.
-- values_us is as in v_latency_1s; upto: messages with that latency or less. A bucket (16 bits) and its messages
-- (48 bits) are one number, which sorts fast.
CREATE OR REPLACE VIEW v_latency_ranks_1s AS
SELECT
    time,
    upto[-1] AS events,
    upto,
    arrayMap(m -> if(m < 9223372036854775808, -1, 1) * toInt64(floor(if(bitShiftRight(m, 48) = 32768, 0,
        reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(toInt32(bitShiftRight(m, 48)) - 32768)), 16) + 32768)))),
        counted) AS values_us
FROM
(
    SELECT time,
        arraySort(groupArray(bitShiftLeft(toUInt64(bucket + 32768), 48) + toUInt64(events))) AS counted,
        arrayCumSum(m -> bitAnd(m, 281474976710655), counted) AS upto
    FROM rollup_1s
    WHERE run_id = {run_id:String} AND stage = {stage:String}
        AND stage IN ('publish', 'publish_service', 'publish_delay', 'end_to_end')
    GROUP BY time
);

-- v_latency_groups(run_id = …, stage = …, by = …, from_s = …, to_s = …): each message's latency and the number of its
-- group. by: run, second, topic, partition, producer or worker; of end_to_end also subscription or consumer.
-- place: number of the topic in v_run_topics (upper 32 bits) and of the member (lower 32 bits): one number groups
-- faster than a name and a number. from_s, to_s: window of intended sends in s after the measure phase began; to_s 0 is
-- the end of that phase. Conditions on parameters are constants, so only the columns of the group are read.
CREATE OR REPLACE VIEW v_latency_groups AS
WITH
    (SELECT (start_time, end_time) FROM v_measure_phase(run_id = {run_id:String})) AS measure,
    measure.1 + toIntervalMicrosecond(toInt64({from_s:Float64} * 1e6)) AS window_start,
    if({to_s:Float64} = 0, measure.2, measure.1 + toIntervalMicrosecond(toInt64({to_s:Float64} * 1e6))) AS window_end,
    (SELECT topics FROM v_run_topics(run_id = {run_id:String})) AS topics
SELECT
    us,
    if({by:String} = 'second', toUInt64(toUnixTimestamp(intended_time)),
    if({by:String} = 'partition', toUInt64(partition),
    if({by:String} = 'producer', toUInt64(producer),
    if({by:String} = 'worker', toUInt64(worker),
    if({by:String} = 'consumer', toUInt64(consumer),
    if({by:String} = 'subscription', toUInt64(subscription), 0))))))
        + if({by:String} IN ('topic', 'partition', 'subscription'),
            bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
FROM v_stage_messages(run_id = {run_id:String}, stage = {stage:String})
WHERE ({by:String} IN ('run', 'second', 'topic', 'partition', 'producer', 'worker')
        OR {stage:String} = 'end_to_end' AND {by:String} IN ('consumer', 'subscription'))
    AND intended_time >= window_start AND intended_time < window_end;

-- v_latency_values, with the same parameters: what is ranked. Each message's latency, and its code: the number of the
-- topic (16 bits), the member (32), and the bucket of rollup_1s from the least to the greatest (16).
CREATE OR REPLACE VIEW v_latency_values AS
SELECT
    us,
    -- The greater a float, the greater its bits; for negative floats the smaller.
    bitShiftLeft(place, 16)
        + bitXor(bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16), if(us < 0, 65535, 32768)) AS code
FROM v_latency_groups(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
    from_s = {from_s:Float64}, to_s = {to_s:Float64});

-- v_exact_percentiles, with the same parameters: exact percentiles (nearest rank), one row per member of the group.
-- It first counts the messages of each bucket, to find the bucket that holds each rank, and then the values of those
-- buckets. Counts go to disk when they are too many; states of quantile functions cannot.
CREATE OR REPLACE VIEW v_exact_percentiles AS
WITH
    -- (code, level, the rank's position in the bucket, messages of the group, its greatest latency)
    (
        SELECT groupArray((code, level, greatest(1, toUInt64(ceil(level * events))) - (upto - messages), events, most))
        FROM
        (
            SELECT code, messages,
                sum(messages) OVER (PARTITION BY bitShiftRight(code, 16)
                    ORDER BY code ROWS UNBOUNDED PRECEDING) AS upto,
                sum(messages) OVER (PARTITION BY bitShiftRight(code, 16)) AS events,
                max(greatest_us) OVER (PARTITION BY bitShiftRight(code, 16)) AS most
            FROM
            (
                SELECT code, count() AS messages, max(us) AS greatest_us
                FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
                    from_s = {from_s:Float64}, to_s = {to_s:Float64})
                GROUP BY code
            )
        )
        ARRAY JOIN arrayFilter(level -> greatest(1, toUInt64(ceil(level * events))) > upto - messages
            AND greatest(1, toUInt64(ceil(level * events))) <= upto,
                [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999]) AS level
    ) AS wanted,
    (SELECT topics FROM v_run_topics(run_id = {run_id:String})) AS topics
SELECT
    topics[bitShiftRight(w.code, 48)] AS topic,
    toInt64(bitAnd(bitShiftRight(w.code, 16), 4294967295)) AS member,
    any(w.events) AS events,
    minIf(us, level = 0.5) AS p50_us,
    minIf(us, level = 0.75) AS p75_us,
    minIf(us, level = 0.9) AS p90_us,
    minIf(us, level = 0.95) AS p95_us,
    minIf(us, level = 0.99) AS p99_us,
    minIf(us, level = 0.999) AS p99_9_us,
    minIf(us, level = 0.9999) AS p99_99_us,
    any(w.most) AS max_us
FROM
(
    SELECT code, us, sum(messages) OVER (PARTITION BY code ORDER BY us ROWS UNBOUNDED PRECEDING) AS upto
    FROM
    (
        SELECT code, us, count() AS messages
        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
            from_s = {from_s:Float64}, to_s = {to_s:Float64})
        WHERE code IN (SELECT arrayJoin(wanted).1)
        GROUP BY code, us
        -- Reading the code's columns apart from the rest costs more than it spares.
        SETTINGS optimize_move_to_prewhere = 0
    )
) AS v
INNER JOIN
(
    SELECT (arrayJoin(wanted) AS found).1 AS code, found.2 AS level, found.3 AS nth, found.4 AS events, found.5 AS most
) AS w ON w.code = v.code
WHERE upto >= nth
GROUP BY topic, member;

-- v_stage_percentiles(run_id = …, source = …): percentiles of the measure phase, one row per stage. source: rows, exact
-- from every message; rollup, within 0.4 % from the seconds that start in the phase (see v_measured_latencies).
-- The source that is not asked for is not read.
CREATE OR REPLACE VIEW v_stage_percentiles AS
SELECT 'publish_delay' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'publish_delay', ''),
    by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT 'publish_service' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'publish_service', ''),
    by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT 'publish' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'publish', ''),
    by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT 'end_to_end' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'end_to_end', ''),
    by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT stage, events, quantiles[1] AS p50_us, quantiles[2] AS p75_us, quantiles[3] AS p90_us, quantiles[4] AS p95_us,
    quantiles[5] AS p99_us, quantiles[6] AS p99_9_us, quantiles[7] AS p99_99_us, max_us
FROM
(
    SELECT stage, sum(messages) AS events, max(value_us) AS max_us,
        quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(value_us, messages) AS quantiles
    FROM v_measured_latencies(run_id = {run_id:String})
    WHERE {source:String} = 'rollup'
    GROUP BY stage
);
