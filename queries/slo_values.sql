-- SPDX-License-Identifier: Apache-2.0
-- name: slo_values
-- purpose: What a run's bounds (slo) are held against: latencies, rates and errors of the measure phase, time to drain a backlog.
-- param run_id String: run to read
-- returns key String, value Float64
-- Latencies and backlogDrain in µs, rates in messages per second, errorRate as a share of sends. A key without rows is left out.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT end_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end,
    ifNull(dateDiff('microsecond', measure_start, measure_end) / 1e6, 0) AS seconds
SELECT concat(stage, '.', quantile.1) AS key, toFloat64(quantile.2) AS value
FROM
(
    SELECT
        stage,
        arrayJoin(arrayZip(
            ['p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'p99.99', 'max'],
            quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1)(us, messages))) AS quantile
    FROM
    (
        SELECT
            arrayJoin([('publish', publish_latency_us), ('publishDelay', publish_delay_us), ('publishService', publish_service_us)]) AS measured,
            measured.1 AS stage,
            measured.2 AS us,
            count() AS messages
        FROM v_publishes
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
        GROUP BY measured
        UNION ALL
        SELECT ('', toInt64(0)) AS measured, 'endToEnd' AS stage, end_to_end_us AS us, count() AS messages
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
        GROUP BY us
    )
    GROUP BY stage
)
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
ORDER BY key
