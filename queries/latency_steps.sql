-- SPDX-License-Identifier: Apache-2.0
-- name: latency_steps
-- purpose: Moments at which a latency percentile rose or fell permanently, whole run, for runs of minutes to days; from
--     the rollup.
-- param run_id String: run to read
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param percentile Float64 = 99 in 0..100: which percentile
-- param point_s UInt32 = 60 in 1..86400: length of an interval, s
-- param around UInt32 = 15 in 1..10000: number of points to compare before and after
-- param least_ratio Float64 = 1.2 in 1..: smallest change to report, as the ratio after/before or before/after
-- returns time DateTime('UTC'), before_us Int64, after_us Int64, ratio Float64, score Float64
-- Medians of the points before and after are compared, so a burst shorter than half of them is no step. score is their
-- difference over the points' own spread (mean deviation from the median of their side, of each point at most the
-- difference itself, and at least 1 % of the level). Rows are local peaks with a score of 5 or more.
WITH
    intDiv(toUnixTimestamp(time), {point_s:UInt32}) AS place,
    points AS
    (
        SELECT place, toFloat64(quantileExactWeighted(round({percentile:Float64} / 100, 9))(value_us, events)) AS us
        FROM v_latency_1s
        WHERE run_id = {run_id:String} AND stage = {stage:String}
            -- Points in which the run began or ended are not whole.
            AND time >= (SELECT min(start_time) FROM v_phases WHERE run_id = {run_id:String})
            AND time < (SELECT min(start_time) FROM v_phases WHERE run_id = {run_id:String}
                AND phase IN ('drain', 'end'))
        GROUP BY place
    )
SELECT
    toDateTime(at * {point_s:UInt32}, 'UTC') AS time,
    toInt64(before) AS before_us,
    toInt64(after) AS after_us,
    after / before AS ratio,
    score
FROM
(
    SELECT
        at,
        before,
        after,
        score,
        max(score) OVER (ORDER BY at ROWS BETWEEN {around:UInt32} PRECEDING AND {around:UInt32} FOLLOWING) AS peak,
        row_number() OVER (PARTITION BY score ORDER BY at) AS twin
    FROM
    (
        SELECT
            at,
            arrayReduce('quantileExact', left_us) AS before,
            arrayReduce('quantileExact', right_us) AS after,
            arrayAvg(arrayConcat(
                arrayMap(u -> least(abs(u - before), abs(after - before)), left_us),
                arrayMap(u -> least(abs(u - after), abs(after - before)), right_us))) AS spread,
            abs(after - before) / greatest(spread, 0.01 * least(abs(before), abs(after)), 1) AS score
        FROM
        (
            SELECT
                place AS at,
                groupArray(us) OVER (ORDER BY place ROWS BETWEEN {around:UInt32} PRECEDING AND 1 PRECEDING) AS left_us,
                groupArray(us) OVER (ORDER BY place ROWS BETWEEN CURRENT ROW AND {around:UInt32} FOLLOWING) AS right_us
            FROM points
        )
        WHERE length(left_us) = {around:UInt32} AND length(right_us) >= {around:UInt32}
    )
)
WHERE score = peak AND score >= 5 AND twin = 1 AND (ratio >= {least_ratio:Float64}
    OR ratio <= 1 / {least_ratio:Float64})
ORDER BY time
