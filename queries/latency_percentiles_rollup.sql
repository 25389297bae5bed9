-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles_rollup
-- purpose: Latency percentiles of the measure phase per stage, as the report shows them: from the rollup, within
--     0.4 %, in µs.
-- param run_id String: run to read
-- returns stage String, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64,
--     p99_9_us Int64, p99_99_us Int64, max_us Int64
-- Seconds that start in the measure phase count; in a phase that has not ended, all so far.
SELECT stage, events, quantiles[1] AS p50_us, quantiles[2] AS p75_us, quantiles[3] AS p90_us, quantiles[4] AS p95_us,
    quantiles[5] AS p99_us, quantiles[6] AS p99_9_us, quantiles[7] AS p99_99_us, max_us
FROM
(
    SELECT stage, sum(messages) AS events, max(value_us) AS max_us,
        quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(value_us, messages) AS quantiles
    FROM v_measured_latencies(run_id = {run_id:String})
    GROUP BY stage
)
ORDER BY indexOf(['publish_delay', 'publish_service', 'publish', 'end_to_end'], stage)
