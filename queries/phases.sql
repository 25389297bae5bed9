-- SPDX-License-Identifier: Apache-2.0
-- name: phases
-- purpose: The phases of a run in order; each lasts until the next one starts, the last is named end.
-- param run_id String: run to read
-- returns phase LowCardinality(String), start_time DateTime64(6, 'UTC'), end_time DateTime64(6, 'UTC'),
--     duration_s Float64
SELECT
    phase,
    start_time,
    end_time,
    dateDiff('microsecond', start_time, end_time) / 1e6 AS duration_s
FROM v_phases
WHERE run_id = {run_id:String}
ORDER BY start_time
