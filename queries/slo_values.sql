-- SPDX-License-Identifier: Apache-2.0
-- name: slo_values
-- purpose: The values that a run's bounds (slo) are compared with: latencies, rates and errors of the measure phase,
--     time to drain a backlog.
-- param run_id String: run to read
-- returns key String, value Float64
-- Latencies and backlogDrain in µs, rates in messages per second, errorRate as a share of sends. saturated: the
-- greatest share of a host's seconds in which its cores, or those of its load generator, were used up; stolen: of its
-- CPU time. steady, fit: 1 or 0. A key without rows is left out.
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    ifNull(dateDiff('microsecond', measure_start, measure_end) / 1e6, 0) AS seconds
SELECT key, value
FROM
(
    SELECT concat(stage, '.', quantile.1) AS key, toFloat64(quantile.2) AS value
    FROM
    (
        SELECT 'publishDelay' AS stage, *
        FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish_delay', by = 'run', from_s = 0, to_s = 0)
        UNION ALL
        SELECT 'publishService' AS stage, *
        FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish_service', by = 'run', from_s = 0, to_s = 0)
        UNION ALL
        SELECT 'publish' AS stage, *
        FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish', by = 'run', from_s = 0, to_s = 0)
        UNION ALL
        SELECT 'endToEnd' AS stage, *
        FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'end_to_end', by = 'run', from_s = 0, to_s = 0)
    )
    ARRAY JOIN arrayZip(['p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'p99.99', 'max'],
        [p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us]) AS quantile
    UNION ALL
    SELECT 'published' AS key, count() / seconds AS value
    FROM v_publishes
    WHERE run_id = {run_id:String} AND ack_time >= measure_start AND ack_time < measure_end
    HAVING seconds > 0
    UNION ALL
    SELECT 'consumed' AS key, count() / seconds AS value
    FROM v_deliveries
    WHERE run_id = {run_id:String} AND receive_time >= measure_start AND receive_time < measure_end
    HAVING seconds > 0
    UNION ALL
    SELECT 'errorRate' AS key, sum(failed) / sum(sent) AS value
    FROM
    (
        SELECT count() AS sent, 0 AS failed
        FROM v_publishes
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
        UNION ALL
        SELECT count() AS sent, count() AS failed
        FROM v_publish_failures
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
    )
    HAVING sum(sent) > 0
    UNION ALL
    SELECT 'backlogDrain' AS key, toFloat64(dateDiff('microsecond', start_time, end_time)) AS value
    FROM v_phases
    WHERE run_id = {run_id:String} AND phase = 'backlog_drain'
    UNION ALL
    SELECT condition.1 AS key, assumeNotNull(max(condition.2)) AS value
    FROM v_host_conditions(run_id = {run_id:String})
    ARRAY JOIN [('saturated', greatest(used_up_s, loader_s) / seconds), ('stolen', stolen_share)] AS condition
    GROUP BY key
    UNION ALL
    SELECT 'steady' AS key, toFloat64(min(name = 'steady')) AS value
    FROM v_run_events
    WHERE run_id = {run_id:String} AND kind = 'phase_end' AND name IN ('steady', 'not_steady')
    HAVING count() > 0
    UNION ALL
    SELECT 'fit' AS key, toFloat64(JSONExtractBool(manifest, 'fitness', 'fit')) AS value
    FROM v_runs
    WHERE run_id = {run_id:String} AND JSONHas(manifest, 'fitness', 'fit')
)
ORDER BY key
