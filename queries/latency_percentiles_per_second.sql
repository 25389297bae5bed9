-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles_per_second
-- purpose: Latency percentiles of the messages intended in each second, whole run, from the rollup (within 0.4 %), in
--     µs.
-- param run_id String: run to read
-- param stage String = all in publish|publish_delay|publish_service|end_to_end|all: latency to read
-- returns time DateTime('UTC'), phase String, stage LowCardinality(String), events UInt64, p50_us Int64, p90_us Int64,
--     p95_us Int64, p99_us Int64, p99_9_us Int64, max_us Int64
-- A second belongs to the phase it starts in; a part of a second before the first phase counts as that phase.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases
SELECT
    time,
    phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2 AS phase,
    toLowCardinality(stage) AS stage,
    events,
    values_us[arrayFirstIndex(n -> n >= ceil(0.5 * events), upto)] AS p50_us,
    values_us[arrayFirstIndex(n -> n >= ceil(0.9 * events), upto)] AS p90_us,
    values_us[arrayFirstIndex(n -> n >= ceil(0.95 * events), upto)] AS p95_us,
    values_us[arrayFirstIndex(n -> n >= ceil(0.99 * events), upto)] AS p99_us,
    values_us[arrayFirstIndex(n -> n >= ceil(0.999 * events), upto)] AS p99_9_us,
    values_us[-1] AS max_us
FROM
(
    SELECT 'publish_delay' AS stage, *
    FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'publish_delay')
    WHERE {stage:String} IN ('all', 'publish_delay')
    UNION ALL
    SELECT 'publish_service' AS stage, *
    FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'publish_service')
    WHERE {stage:String} IN ('all', 'publish_service')
    UNION ALL
    SELECT 'publish' AS stage, *
    FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'publish')
    WHERE {stage:String} IN ('all', 'publish')
    UNION ALL
    SELECT 'end_to_end' AS stage, *
    FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'end_to_end')
    WHERE {stage:String} IN ('all', 'end_to_end')
)
ORDER BY stage, time
