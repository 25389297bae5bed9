-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles
-- purpose: Exact latency percentiles (nearest rank, raw rows) of the messages due in the measure phase, per stage, in µs.
-- param run_id String: run to read
-- returns stage String, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
SELECT stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM
(
    SELECT 'publish_delay' AS stage, *
    FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish_delay', by = 'run', from_s = 0, to_s = 0)
    UNION ALL
    SELECT 'publish_service' AS stage, *
    FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish_service', by = 'run', from_s = 0, to_s = 0)
    UNION ALL
    SELECT 'publish' AS stage, *
    FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish', by = 'run', from_s = 0, to_s = 0)
    UNION ALL
    SELECT 'end_to_end' AS stage, *
    FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'end_to_end', by = 'run', from_s = 0, to_s = 0)
)
ORDER BY indexOf(['publish_delay', 'publish_service', 'publish', 'end_to_end'], stage)
