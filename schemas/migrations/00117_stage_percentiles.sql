-- SPDX-License-Identifier: Apache-2.0
-- Exact percentiles of the measure phase by stage, without the rollup's, which latency_percentiles_rollup reads.

-- +goose Up
-- v_stage_percentiles(run_id = …): one row per stage. Planning its sixteen reads takes half a second; the rollup's query
-- needs a tenth of that.
CREATE OR REPLACE VIEW v_stage_percentiles AS
SELECT 'publish_delay' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish_delay', by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT 'publish_service' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish_service', by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT 'publish' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish', by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT 'end_to_end' AS stage, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'end_to_end', by = 'run', from_s = 0, to_s = 0);
