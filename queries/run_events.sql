-- SPDX-License-Identifier: Apache-2.0
-- name: run_events
-- purpose: Events of a run other than its phases: leader changes, rebalances, clock steps, errors, alerts, and marks.
-- param run_id String: run to read
-- param kind String = all in
--     phase_end|leader_change|rebalance|clock|clock_step|corruption|traces|error|alert|mark|topic|all: kind of events
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime64(6, 'UTC'), kind LowCardinality(String), name LowCardinality(String), detail String
SELECT time, kind, name, detail
FROM v_run_events
WHERE run_id = {run_id:String} AND kind != 'phase' AND ({kind:String} = 'all' OR kind = {kind:String})
    AND time >= {from:DateTime('UTC')} AND time < {to:DateTime('UTC')} + 1
ORDER BY time, kind, name
