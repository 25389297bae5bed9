-- SPDX-License-Identifier: Apache-2.0
-- name: run_manifest
-- purpose: What defines a run: its files without secrets, its manifest (JSON: plan, versions, host, brokers) and its
--     audit (JSON).
-- param run_id String: run to read
-- returns run_id String, seed UInt64, workers UInt16, workload String, driver String, manifest String, audit String
SELECT run_id, seed, workers, workload, driver, manifest, audit
FROM v_runs
WHERE run_id = {run_id:String}
