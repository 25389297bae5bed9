-- SPDX-License-Identifier: Apache-2.0
-- name: latency_over_time
-- purpose: Percentiles up to p99.99 of the messages intended in each interval of a window, of all topics or one; from
--     the rollup, in µs.
-- param run_id String: run to read
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param topic String = all: one topic, or all
-- param point_s UInt32 = 1 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), events UInt64, p50_us Int64, p90_us Int64, p99_us Int64, p99_9_us Int64,
--     p99_99_us Int64, max_us Int64
-- With too few messages for a percentile (p99.99: fewer than 10,000) the percentile is the greatest latency of the
-- point.
SELECT
    toDateTime(place * {point_s:UInt32}, 'UTC') AS time,
    messages AS events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p90_us,
    quantiles[3] AS p99_us,
    quantiles[4] AS p99_9_us,
    quantiles[5] AS p99_99_us,
    max_us
FROM
(
    SELECT
        intDiv(toUnixTimestamp(v.time), {point_s:UInt32}) AS place,
        sum(v.events) AS messages,
        quantilesExactWeighted(0.5, 0.9, 0.99, 0.999, 0.9999)(v.value_us, v.events) AS quantiles,
        max(v.value_us) AS max_us
    FROM v_latency_1s AS v
    WHERE run_id = {run_id:String} AND stage = {stage:String} AND ({topic:String} = 'all' OR topic = {topic:String})
        AND v.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
    GROUP BY place
)
ORDER BY time
