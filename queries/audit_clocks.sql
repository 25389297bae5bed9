-- SPDX-License-Identifier: Apache-2.0
-- name: audit_clocks
-- purpose: Per worker, the messages it received before their intended send: the clocks of two hosts differ by at least
--     most_us.
-- param run_id String: run to read
-- returns worker UInt16, messages UInt64, most_us Int64
-- From the rollup, so most_us is within 0.4 %. A run on one host has no rows.
SELECT worker, sum(events) AS messages, -min(value_us) AS most_us
FROM v_latency_1s
WHERE run_id = {run_id:String} AND stage = 'end_to_end' AND value_us < 0
GROUP BY worker
ORDER BY worker
