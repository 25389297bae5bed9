-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles_per_second
-- purpose: Latency percentiles of the messages due in each second, whole run, from the rollup (within 0.4 %), in µs.
-- param run_id String: run to read
-- param stage String = all in publish|publish_delay|publish_service|end_to_end|all: latency to read
-- returns time DateTime('UTC'), phase String, stage LowCardinality(String), events UInt64, p50_us Int64, p90_us Int64, p95_us Int64, p99_us Int64, p99_9_us Int64, max_us Int64
-- A second belongs to the phase it starts in; a part of a second before the first phase counts as that phase.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases
SELECT
    time,
    phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2 AS phase,
    stage,
    messages AS events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p90_us,
    quantiles[3] AS p95_us,
    quantiles[4] AS p99_us,
    quantiles[5] AS p99_9_us,
    max_us
FROM
(
    SELECT
        time,
        stage,
        sum(events) AS messages,
        quantilesExactWeighted(0.5, 0.9, 0.95, 0.99, 0.999)(value_us, events) AS quantiles,
        max(value_us) AS max_us
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND ({stage:String} = 'all' OR stage = {stage:String})
    GROUP BY time, stage
)
ORDER BY stage, time
