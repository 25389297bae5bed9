-- SPDX-License-Identifier: Apache-2.0
-- name: newest_run_latency
-- purpose: Percentiles of one latency of the newest run in a window, for an alert that does not know which run is going
--     on; in ms.
-- param stage String = publish in publish|publish_delay|publish_service|end_to_end: latency to read
-- param point_s UInt32 = 5 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), run_id String, events UInt64, p50_ms Float64, p99_ms Float64
-- Only the measure phase counts: latency during warm-up is no reason for an alert. No rows if the window has no message
-- of the run.
WITH
    (
        SELECT (argMax(v.run_id, v.started_time), max(v.started_time))
        FROM v_runs AS v
        WHERE v.started_time <= {to:DateTime('UTC')} + 1
    ) AS newest,
    (
        SELECT
            min(v.start_time),
            -- An ongoing phase has no end yet.
            max(if(v.end_time = v.start_time, v.start_time + toIntervalYear(1), v.end_time))
        FROM v_phases AS v
        WHERE v.run_id = newest.1 AND v.phase = 'measure'
    ) AS measure
SELECT
    toDateTime(place * {point_s:UInt32}, 'UTC') AS time,
    assumeNotNull(newest.1) AS run_id,
    messages AS events,
    quantiles[1] / 1000 AS p50_ms,
    quantiles[2] / 1000 AS p99_ms
FROM
(
    SELECT
        intDiv(toUnixTimestamp(v.time), {point_s:UInt32}) AS place,
        sum(v.events) AS messages,
        quantilesExactWeighted(0.5, 0.99)(v.value_us, v.events) AS quantiles
    FROM v_latency_1s AS v
    WHERE v.run_id = newest.1 AND v.stage = {stage:String}
        AND v.time >= {from:DateTime('UTC')}
        AND v.time <= {to:DateTime('UTC')}
        AND v.time >= measure.1 AND v.time < measure.2
    GROUP BY place
)
ORDER BY time
