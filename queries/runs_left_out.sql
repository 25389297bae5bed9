-- SPDX-License-Identifier: Apache-2.0
-- name: runs_left_out
-- purpose: Which runs of the published experiments may not be judged, and why: what their verdicts leave out.
-- param runs String: run ids with commas between them
-- returns run_id String, reason String
-- A row per run of which nothing may be concluded; none where all may be judged.
SELECT run_id, unsound AS reason
FROM v_experiment_runs(runs = {runs:String})
WHERE unsound != ''
ORDER BY run_id
