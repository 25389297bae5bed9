-- SPDX-License-Identifier: Apache-2.0
-- name: latency_stretches
-- purpose: Latency percentiles up to p99.99 of the messages due in each stretch of time, whole run, as the report draws them; from the rollup (within 0.4 %), in µs.
-- param run_id String: run to read
-- param stage String = all in publish|publish_delay|publish_service|end_to_end|all: latency to read
-- param step_s UInt32 = 1 in 1..86400: seconds that make one stretch, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second; a long run is read in parts with little memory
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), phase String, stage LowCardinality(String), events UInt64, p50_us Int64, p90_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64, worst_p99_us Int64
-- worst_p99_us: p99 of the stretch's worst single second, which a long stretch would hide. A stretch belongs to the phase it starts in; a
-- part of one before the first phase counts as that phase.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases
SELECT
    toDateTime(place * {step_s:UInt32}, 'UTC') AS time,
    phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2 AS phase,
    stage,
    messages AS events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p90_us,
    quantiles[3] AS p99_us,
    quantiles[4] AS p99_9_us,
    quantiles[5] AS p99_99_us,
    max_us,
    worst AS worst_p99_us
FROM
(
    SELECT
        stage,
        intDiv(toUnixTimestamp(time), {step_s:UInt32}) AS place,
        sum(events) AS messages,
        quantilesExactWeighted(0.5, 0.9, 0.99, 0.999, 0.9999)(value_us, events) AS quantiles,
        max(value_us) AS max_us
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND ({stage:String} = 'all' OR stage = {stage:String})
        AND time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
    GROUP BY stage, place
) AS s
INNER JOIN
(
    SELECT stage, intDiv(second, {step_s:UInt32}) AS place, max(p99) AS worst
    FROM
    (
        SELECT stage, toUnixTimestamp(time) AS second, quantileExactWeighted(0.99)(value_us, events) AS p99
        FROM v_latency_1s
        WHERE run_id = {run_id:String} AND ({stage:String} = 'all' OR stage = {stage:String})
            AND time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
        GROUP BY stage, second
    )
    GROUP BY stage, place
) AS w USING (stage, place)
ORDER BY stage, time
