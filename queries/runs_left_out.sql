-- SPDX-License-Identifier: Apache-2.0
-- name: runs_left_out
-- purpose: The runs that verdicts on the published experiments leave out, and why.
-- param runs String: run ids with commas between them
-- returns run_id String, reason String
-- One row per run that supports no conclusion; no rows if all may be judged.
SELECT run_id, unsound AS reason
FROM v_experiment_runs(runs = {runs:String})
WHERE unsound != ''
ORDER BY run_id
