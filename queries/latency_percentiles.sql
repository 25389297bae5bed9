-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles
-- purpose: Exact latency percentiles (nearest rank) of the messages intended in the measure phase, per stage, in µs.
-- param run_id String: run to read
-- returns stage String, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64,
--     p99_9_us Int64, p99_99_us Int64, max_us Int64
-- It reads every message; latency_percentiles_rollup answers within 0.4 % at once.
SELECT stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_stage_percentiles(run_id = {run_id:String})
ORDER BY indexOf(['publish_delay', 'publish_service', 'publish', 'end_to_end'], stage)
