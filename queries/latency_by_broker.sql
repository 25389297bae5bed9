-- SPDX-License-Identifier: Apache-2.0
-- name: latency_by_broker
-- purpose: Exact publish and end-to-end percentiles (nearest rank) of the measure phase, or a window of it, by the
--     broker that led the partition, in µs.
-- param run_id String: run to read
-- param from_s Float64 = 0: start of the window, s after the measure phase began; negative reaches into the warm-up
-- param to_s Float64 = 0 in 0|>from_s: end of the window, likewise; 0 for the end of the measure phase
-- param most_rows UInt64 = 0: most messages to read per stage, the newest of the window; 0 for all
-- returns stage String, broker Int32, host String, partitions UInt64, events UInt64, p50_us Int64, p99_us Int64,
--     p99_9_us Int64, p99_99_us Int64, max_us Int64
-- The leader is the one last seen when the message was answered (acknowledged, or received); before that, the
-- first one seen.
-- broker -1: no leader was ever seen. A host with several brokers has several rows.
-- With more than most_rows messages it reads whole seconds, at least one.
-- long: both stages and the leaders over time are joined here; broker_latency_over_time has one stage by time.
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    measure_start + toIntervalMicrosecond(toInt64({from_s:Float64} * 1e6)) AS asked_start,
    if({to_s:Float64} = 0, measure_end, measure_start
        + toIntervalMicrosecond(toInt64({to_s:Float64} * 1e6))) AS window_end,
    -- The first of the newest seconds that hold no more than most_rows.
    (
        SELECT min(second)
        FROM
        (
            SELECT v.time AS second, sum(v.events) AS due, sum(due) OVER (ORDER BY second DESC) AS upto
            FROM v_latency_1s AS v
            WHERE {most_rows:UInt64} > 0 AND run_id = {run_id:String} AND v.stage = 'publish' AND v.time < window_end
            GROUP BY second
        )
        WHERE upto <= {most_rows:UInt64} OR upto = due
    ) AS newest,
    if({most_rows:UInt64} = 0, asked_start, greatest(asked_start, toDateTime64(newest, 6, 'UTC'))) AS window_start,
    -- Partitions change leaders rarely, so a run has few spans of time in which no leader changes.
    (
        SELECT arrayConcat([toInt64(0)], arraySort(groupUniqArray(toUnixTimestamp64Micro(time))))
        FROM
        (
            SELECT time, leader, lagInFrame(leader, 1, leader) OVER
                (PARTITION BY topic, partition ORDER BY time ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS leader_before
            FROM v_partition_leaders
            WHERE run_id = {run_id:String}
        )
        WHERE leader != leader_before
    ) AS changes
SELECT
    stage,
    broker,
    host,
    partitions,
    events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p99_us,
    quantiles[3] AS p99_9_us,
    quantiles[4] AS p99_99_us,
    max_us
FROM
(
    SELECT
        stage,
        broker,
        host,
        uniqExact(topic, partition) AS partitions,
        sum(messages) AS events,
        quantilesExactWeightedMerge(0.5, 0.99, 0.999, 0.9999)(state) AS quantiles,
        max(most) AS max_us
    FROM
    (
        SELECT
            m.stage AS stage,
            m.topic AS topic,
            m.partition AS partition,
            m.state AS state,
            m.most AS most,
            m.messages AS messages,
            if(empty(l.sights), -1, l.sights[greatest(1, arrayCount(s -> s.1 <= m.since, l.sights))].2) AS broker,
            if(empty(l.sights), '', l.sights[greatest(1, arrayCount(s -> s.1 <= m.since, l.sights))].3) AS host
        FROM
        (
            SELECT 'publish' AS stage, topic, partition, count() AS messages, max(us) AS most,
                quantilesExactWeightedState(0.5, 0.99, 0.999, 0.9999)(us, 1) AS state,
                roundDown(toUnixTimestamp64Micro(answered_time), changes) AS since
            FROM v_stage_messages(run_id = {run_id:String}, stage = 'publish')
            WHERE intended_time >= window_start AND intended_time < window_end
            GROUP BY topic, partition, since
            UNION ALL
            SELECT 'end_to_end' AS stage, topic, partition, count() AS messages, max(us) AS most,
                quantilesExactWeightedState(0.5, 0.99, 0.999, 0.9999)(us, 1) AS state,
                roundDown(toUnixTimestamp64Micro(answered_time), changes) AS since
            FROM v_stage_messages(run_id = {run_id:String}, stage = 'end_to_end')
            WHERE intended_time >= window_start AND intended_time < window_end
            GROUP BY topic, partition, since
        ) AS m
        LEFT JOIN
        (
            SELECT topic, partition, arraySort(groupArray((toUnixTimestamp64Micro(time), leader,
                toString(leader_host)))) AS sights
            FROM v_partition_leaders
            WHERE run_id = {run_id:String}
            GROUP BY topic, partition
        ) AS l ON l.topic = m.topic AND l.partition = m.partition
    )
    GROUP BY stage, broker, host
)
ORDER BY stage DESC, broker, host
