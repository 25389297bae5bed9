-- SPDX-License-Identifier: Apache-2.0
-- name: audit_unsent
-- purpose: Per worker, the messages that were overdue and never sent: why, how many, and their intended sends.
-- param run_id String: run to read
-- returns worker UInt16, reason LowCardinality(String), messages UInt64, from_time DateTime64(6, 'UTC'),
--     to_time DateTime64(6, 'UTC')
-- reason: error class of the last message of the producers that gave up, or late if the broker had acknowledged it.
SELECT worker, reason, sum(events) AS messages, min(from_time) AS from_time, max(to_time) AS to_time
FROM v_ledger
WHERE run_id = {run_id:String} AND kind = 'unsent' AND events > 0
GROUP BY worker, reason
ORDER BY worker, reason
