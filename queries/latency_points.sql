-- SPDX-License-Identifier: Apache-2.0
-- name: latency_points
-- purpose: Percentiles up to p99.99 of the messages intended in each interval, for runs of hours; measure phase, from
--     the rollup, in µs.
-- param run_id String: run to read
-- param stage String = all in publish|publish_delay|publish_service|end_to_end|all: latency to read
-- param point_s UInt32 = 60 in 1..86400: length of an interval, s
-- returns time DateTime('UTC'), stage LowCardinality(String), events UInt64, p50_us Int64, p90_us Int64, p99_us Int64,
--     p99_9_us Int64, p99_99_us Int64
-- With too few messages for a percentile (p99.99: fewer than 10,000) the percentile is the greatest latency of the
-- point.
-- A measure phase without a recorded end (a killed load generator) reaches as far as messages are stored; for a run
-- without a measure phase all messages count.
WITH
    (SELECT (count(), min(start_time), max(end_time)) FROM v_measure_phase(run_id = {run_id:String})) AS measure,
    assumeNotNull((SELECT min(start_time) FROM v_phases WHERE run_id = {run_id:String})) AS run_start,
    measure.1 > 0 AND measure.3 > measure.2 AS ended,
    if(measure.1 > 0, measure.2, run_start) AS first_time
SELECT
    toDateTime(place * {point_s:UInt32}, 'UTC') AS time,
    stage,
    messages AS events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p90_us,
    quantiles[3] AS p99_us,
    quantiles[4] AS p99_9_us,
    quantiles[5] AS p99_99_us
FROM
(
    SELECT
        stage,
        place,
        messages,
        quantiles,
        max(newest) OVER () AS newest_of_all
    FROM
    (
        SELECT
            stage,
            intDiv(toUnixTimestamp(time), {point_s:UInt32}) AS place,
            sum(events) AS messages,
            toUnixTimestamp(max(time)) AS newest,
            quantilesExactWeighted(0.5, 0.9, 0.99, 0.999, 0.9999)(value_us, events) AS quantiles
        FROM v_latency_1s
        WHERE run_id = {run_id:String} AND ({stage:String} = 'all' OR stage = {stage:String})
            -- Points in which the phase began or ended are not whole.
            AND time >= fromUnixTimestamp({point_s:UInt32}
                * toUInt32(ceil(toUnixTimestamp64Milli(first_time) / 1000 / {point_s:UInt32})))
            AND time < fromUnixTimestamp(toUInt32(if(ended, {point_s:UInt32} * intDiv(toUnixTimestamp(measure.3),
                {point_s:UInt32}), 4102444800)))
        GROUP BY stage, place
    )
)
WHERE ended OR (place + 1) * {point_s:UInt32} <= newest_of_all + 1
ORDER BY stage, time
