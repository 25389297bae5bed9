-- SPDX-License-Identifier: Apache-2.0
-- name: audit_killed
-- purpose: Per worker and stream of a load generator that was killed, the times between which its rows are uncertain.
-- param run_id String: run to read
-- returns worker UInt16, stream LowCardinality(String), from_time DateTime64(6, 'UTC'), to_time DateTime64(6, 'UTC')
-- from_time: the latest row in a block, or the earliest one in a block that was in memory alone. to_time: its last
-- checkpoint; what was recorded later and was in no block is not counted.
SELECT worker, stream, min(from_time) AS from_time, max(to_time) AS to_time
FROM v_ledger
WHERE run_id = {run_id:String} AND kind = 'lost' AND reason = 'killed'
GROUP BY worker, stream
ORDER BY worker, stream
