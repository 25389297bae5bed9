-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles
-- purpose: Exact latency percentiles (nearest rank, raw rows) of the messages due in the measure phase, per stage, in µs.
-- param run_id String: run to read
-- returns stage String, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT end_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end
SELECT
    stage,
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
        -- Counting equal values first is cheaper than sorting every message.
        quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(us, messages) AS quantiles,
        max(us) AS max_us
    FROM
    (
        SELECT 'publish' AS stage, publish_latency_us AS us, count() AS messages
        FROM v_publishes
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'publish_delay' AS stage, publish_delay_us AS us, count() AS messages
        FROM v_publishes
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'publish_service' AS stage, publish_service_us AS us, count() AS messages
        FROM v_publishes
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'end_to_end' AS stage, end_to_end_us AS us, count() AS messages
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
        GROUP BY us
    )
    GROUP BY stage
)
ORDER BY indexOf(['publish_delay', 'publish_service', 'publish', 'end_to_end'], stage)
