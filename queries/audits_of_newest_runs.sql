-- SPDX-License-Identifier: Apache-2.0
-- name: audits_of_newest_runs
-- purpose: The newest audited runs with the number of failures in each audit, for an alert.
-- param limit UInt32 = 20 in 1..: how many runs
-- returns run_id String, finished_time DateTime64(6, 'UTC'), failures UInt64
-- Runs that are not audited yet are left out.
SELECT
    run_id,
    finished_time,
    toUInt64(length(JSONExtractArrayRaw(audit, 'failures'))) AS failures
FROM v_runs
WHERE audit != ''
ORDER BY started_time DESC, run_id DESC
LIMIT {limit:UInt32}
