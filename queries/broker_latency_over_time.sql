-- SPDX-License-Identifier: Apache-2.0
-- name: broker_latency_over_time
-- purpose: Exact percentiles of the messages intended in each interval of a window, by the broker that led their
--     partition; raw rows, in µs.
-- param run_id String: run to read
-- param stage String = publish in publish|end_to_end: latency to read
-- param broker String = all: one broker's id, or all
-- param point_s UInt32 = 1 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- param most_rows UInt64 = 5000000 in 1..: most raw rows to read
-- returns time DateTime('UTC'), broker String, events UInt64, p50_us Int64, p99_us Int64, p99_9_us Int64, max_us Int64
-- If the window has more than most_rows messages, it shows the newest seconds that together hold at most most_rows.
-- The leader is the one last seen when the message was acknowledged or received; broker -1: none was ever seen.
WITH
    (
        SELECT minOrNull(second)
        FROM v_newest_seconds(run_id = {run_id:String}, stage = {stage:String},
            from = {from:DateTime('UTC')}, to = {to:DateTime('UTC')}, most_rows = {most_rows:UInt64})
    ) AS covered_from,
    (
        SELECT arrayConcat([toInt64(0)], arraySort(groupUniqArray(toUnixTimestamp64Micro(v.time))))
        FROM v_partition_leaders AS v
        WHERE run_id = {run_id:String}
    ) AS sights
SELECT
    toDateTime(place * {point_s:UInt32}, 'UTC') AS time,
    leader AS broker,
    messages AS events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p99_us,
    quantiles[3] AS p99_9_us,
    max_us
FROM
(
    SELECT
        m.place AS place,
        toString(if(empty(l.seen), -1, l.seen[greatest(1, arrayCount(s -> s.1 <= m.since, l.seen))].2)) AS leader,
        sum(m.n) AS messages,
        quantilesExactWeightedMerge(0.5, 0.99, 0.999)(m.state) AS quantiles,
        max(m.most) AS max_us
    FROM
    (
        SELECT topic, partition, place, since, count() AS n, max(us) AS most,
            quantilesExactWeightedState(0.5, 0.99, 0.999)(us, 1) AS state
        FROM
        (
            SELECT topic, partition, us, intDiv(toUnixTimestamp(intended_time), {point_s:UInt32}) AS place,
                roundDown(toUnixTimestamp64Micro(answered_time), sights) AS since
            FROM v_stage_messages(run_id = {run_id:String}, stage = {stage:String})
            WHERE intended_time >= covered_from AND intended_time < {to:DateTime('UTC')} + 1
        )
        GROUP BY topic, partition, place, since
    ) AS m
    LEFT JOIN
    (
        SELECT topic, partition, arraySort(groupArray((toUnixTimestamp64Micro(v.time), leader))) AS seen
        FROM v_partition_leaders AS v
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition
    ) AS l ON l.topic = m.topic AND l.partition = m.partition
    GROUP BY place, leader
)
WHERE {broker:String} = 'all' OR leader = {broker:String}
ORDER BY time, broker
