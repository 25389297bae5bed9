-- Exact percentiles (nearest rank) in bounded memory:
-- v_exact_percentiles(run_id = …, stage = …, by = …, from_s = …, to_s = …), a row per member of the group.
-- stage: publish_delay, publish_service, publish or end_to_end. by: run, topic, partition, producer or worker; of
-- end_to_end subscription or consumer too. from_s, to_s: window in s after the measure phase began, in which messages
-- were due; to_s 0 is the end of that phase.

-- +goose Up

-- What is ranked: each message's latency, and its place: number of the topic (16 bits) and member (32). Conditions on
-- parameters are constants: only columns are read that the stage and the group need.
CREATE VIEW IF NOT EXISTS v_latency_values AS
WITH
    (SELECT (min(start_time), max(end_time)) FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure,
    measure.1 + toIntervalMicrosecond(toInt64({from_s:Float64} * 1e6)) AS window_start,
    if({to_s:Float64} = 0, measure.2, measure.1 + toIntervalMicrosecond(toInt64({to_s:Float64} * 1e6))) AS window_end,
    (SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS topics
SELECT
    if({stage:String} = 'publish', publish_latency_us,
    if({stage:String} = 'publish_delay', publish_delay_us, publish_service_us)) AS us,
    if({by:String} = 'partition', toUInt64(partition),
    if({by:String} = 'producer', toUInt64(producer),
    if({by:String} = 'worker', toUInt64(worker), 0)))
        + if({by:String} IN ('topic', 'partition'), bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
FROM v_publishes
WHERE {stage:String} IN ('publish', 'publish_delay', 'publish_service')
    AND {by:String} IN ('run', 'topic', 'partition', 'producer', 'worker')
    AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end
UNION ALL
SELECT
    end_to_end_us AS us,
    if({by:String} = 'partition', toUInt64(partition),
    if({by:String} = 'producer', toUInt64(producer),
    if({by:String} = 'worker', toUInt64(worker),
    if({by:String} = 'consumer', toUInt64(consumer),
    if({by:String} = 'subscription', toUInt64(subscription), 0)))))
        + if({by:String} IN ('topic', 'partition', 'subscription'), bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
FROM v_deliveries
WHERE {stage:String} = 'end_to_end'
    AND {by:String} IN ('run', 'topic', 'partition', 'producer', 'worker', 'consumer', 'subscription')
    AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end;

-- Equal values are counted, which goes to disk where a run has too many different ones: states of quantile functions
-- cannot. Then once all of them by bucket (code: place, and the bucket of rollup_1s from the least to the greatest), to find
-- the bucket that holds each rank, and once the values of those buckets, so that no window has to keep many.
CREATE VIEW IF NOT EXISTS v_exact_percentiles AS
WITH
    -- (code, level, the rank's place in the bucket, messages of the group, its greatest latency)
    (
        SELECT groupArray((code, level, rank - before, events, most))
        FROM
        (
            SELECT code, level, greatest(1, toUInt64(ceil(level * events))) AS rank, upto - messages AS before, upto, events, most
            FROM
            (
                SELECT code, messages,
                    sum(messages) OVER (PARTITION BY bitShiftRight(code, 16) ORDER BY code ROWS UNBOUNDED PRECEDING) AS upto,
                    sum(messages) OVER (PARTITION BY bitShiftRight(code, 16)) AS events,
                    max(greatest_us) OVER (PARTITION BY bitShiftRight(code, 16)) AS most
                FROM
                (
                    SELECT code, sum(messages) AS messages, max(us) AS greatest_us
                    FROM
                    (
                        SELECT us, count() AS messages, bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16) AS top,
                            bitShiftLeft(place, 16) + toUInt16(if(us < 0, 32768 - bitAnd(top, 32767), 32768 + top)) AS code
                        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
                            from_s = {from_s:Float64}, to_s = {to_s:Float64})
                        GROUP BY place, us
                    )
                    GROUP BY code
                )
            )
            ARRAY JOIN [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999] AS level
        )
        WHERE rank > before AND rank <= upto
    ) AS wanted,
    (SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS topics
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
        SELECT us, count() AS messages, bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16) AS top,
            bitShiftLeft(place, 16) + toUInt16(if(us < 0, 32768 - bitAnd(top, 32767), 32768 + top)) AS code
        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
            from_s = {from_s:Float64}, to_s = {to_s:Float64})
        GROUP BY place, us
    )
    WHERE code IN (SELECT arrayJoin(wanted).1)
) AS v
INNER JOIN
(
    SELECT (arrayJoin(wanted) AS found).1 AS code, found.2 AS level, found.3 AS nth, found.4 AS events, found.5 AS most
) AS w ON w.code = v.code
WHERE upto >= nth
GROUP BY topic, member;
