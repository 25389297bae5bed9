-- SPDX-License-Identifier: Apache-2.0
-- name: runs_over_time
-- purpose: Percentiles of one latency of several runs over the time since each one's measure phase began; from the
--     rollup, in µs.
-- param runs String: run ids, with commas between them
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param point_s UInt32 = 1 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 2026-01-01T00:00:00: the time at which all measure phases are shown to begin
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), run_id LowCardinality(String), events UInt64, p50_us Int64, p99_us Int64,
--     p99_9_us Int64, p99_99_us Int64
WITH
    wanted AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS run_id),
    spans AS
    (
        SELECT v.run_id AS run_id, toUnixTimestamp(v.start_time) AS first, toUnixTimestamp(v.end_time) AS after
        FROM v_phases AS v
        WHERE v.run_id IN (SELECT run_id FROM wanted) AND v.phase = 'measure'
    )
SELECT
    {from:DateTime('UTC')} + place * {point_s:UInt32} AS time,
    of_run AS run_id,
    messages AS events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p99_us,
    quantiles[3] AS p99_9_us,
    quantiles[4] AS p99_99_us
FROM
(
    SELECT
        toString(v.run_id) AS of_run,
        intDiv(toUnixTimestamp(v.time) - spans.first, {point_s:UInt32}) AS place,
        sum(v.events) AS messages,
        quantilesExactWeighted(0.5, 0.99, 0.999, 0.9999)(v.value_us, v.events) AS quantiles
    FROM v_latency_1s AS v
    INNER JOIN spans ON spans.run_id = v.run_id
    WHERE v.run_id IN (SELECT run_id FROM wanted) AND v.stage = {stage:String}
        AND toUnixTimestamp(v.time) >= spans.first AND toUnixTimestamp(v.time) < spans.after
    GROUP BY of_run, place
)
WHERE time <= {to:DateTime('UTC')}
ORDER BY time, run_id
