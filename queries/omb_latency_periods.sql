-- SPDX-License-Identifier: Apache-2.0
-- name: omb_latency_periods
-- purpose: Latency per period of the measure phase as OpenMessaging Benchmark prints it, from the rollup (within 0.4
--     %), in µs.
-- param run_id String: run to read
-- param period_s UInt32 = 10 in 1..86400: length of a period
-- returns period UInt32, stage LowCardinality(String), events UInt64, avg_us Float64, p50_us Int64, p75_us Int64,
--     p95_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
-- Only seconds that lie wholly within the measure phase count; a message belongs to the second of its intended send.
WITH
    (SELECT first_s FROM v_measure_phase(run_id = {run_id:String})) AS first_s,
    (SELECT end_s FROM v_measure_phase(run_id = {run_id:String})) AS end_s
SELECT
    period,
    stage,
    messages AS events,
    avg_us,
    quantiles[1] AS p50_us,
    quantiles[2] AS p75_us,
    quantiles[3] AS p95_us,
    quantiles[4] AS p99_us,
    quantiles[5] AS p99_9_us,
    quantiles[6] AS p99_99_us,
    max_us
FROM
(
    SELECT
        toUInt32(intDiv(toUnixTimestamp(time) - assumeNotNull(first_s), {period_s:UInt32})) AS period,
        stage,
        sum(events) AS messages,
        sum(value_us * toInt64(events)) / sum(events) AS avg_us,
        quantilesExactWeighted(0.5, 0.75, 0.95, 0.99, 0.999, 0.9999)(value_us, events) AS quantiles,
        max(value_us) AS max_us
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND toUnixTimestamp(time) >= first_s AND toUnixTimestamp(time) < end_s
    GROUP BY period, stage
)
ORDER BY period, stage
