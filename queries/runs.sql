-- SPDX-License-Identifier: Apache-2.0
-- name: runs
-- purpose: The newest runs, with their state and the verdict of their audit.
-- param limit UInt32 = 20 in 1..: number of runs to show
-- returns run_id String, workload_name LowCardinality(String), driver_name LowCardinality(String),
--     state LowCardinality(String), started_time DateTime64(6, 'UTC'), duration_s Float64, seed UInt64, workers UInt16,
--     audit String
SELECT
    run_id,
    workload_name,
    driver_name,
    state,
    started_time,
    if(finished_time > started_time, dateDiff('millisecond', started_time, finished_time) / 1000, 0) AS duration_s,
    seed,
    workers,
    JSONExtractString(audit, 'verdict') AS audit
FROM v_runs
ORDER BY started_time DESC, run_id DESC
LIMIT {limit:UInt32}
