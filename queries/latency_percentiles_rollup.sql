-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles_rollup
-- purpose: Latency percentiles of the measure phase per stage, as the report shows them; from the rollup (within 0.4 %), in µs.
-- param run_id String: run to read
-- returns stage LowCardinality(String), events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
-- Seconds that start in the measure phase count, of one that has not ended all so far. latency_percentiles has the exact values of one
-- that has, at the price of reading every message.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT if(end_time > start_time, end_time, toDateTime64('2100-01-01 00:00:00', 6, 'UTC')) FROM v_phases
        WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end
SELECT
    toLowCardinality(stage) AS stage,
    events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p75_us,
    quantiles[3] AS p90_us,
    quantiles[4] AS p95_us,
    quantiles[5] AS p99_us,
    quantiles[6] AS p99_9_us,
    quantiles[7] AS p99_99_us,
    max_us
FROM
(
    SELECT
        stage,
        sum(messages) AS events,
        quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(us, messages) AS quantiles,
        max(us) AS max_us
    FROM
    (
        -- A stage at a time: comparing names in each row would cost more than all else.
        SELECT 'publish_delay' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'publish_delay' AND time >= measure_start AND time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'publish_service' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'publish_service' AND time >= measure_start AND time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'publish' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'publish' AND time >= measure_start AND time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'end_to_end' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'end_to_end' AND time >= measure_start AND time < measure_end
        GROUP BY us
    )
    GROUP BY stage
)
ORDER BY indexOf(['publish_delay', 'publish_service', 'publish', 'end_to_end'], CAST(stage, 'String'))
