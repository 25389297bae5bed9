-- SPDX-License-Identifier: Apache-2.0
-- name: host_conditions
-- purpose: Per host, in how many seconds of the measure phase its cores were used up, by the load generator, or stolen.
-- param run_id String: run to read
-- returns host String, seconds UInt64, cores Nullable(Float64), used_up_s UInt64, loader_s UInt64, stolen_s UInt64,
--     stolen_share Nullable(Float64)
-- seconds: those measured of the host. used_up_s: with at least 95 % of all cores busy, stolen time included; loader_s:
-- in which load generators took at least 90 % of the cores that they may use; stolen_s: with at least 5 % stolen.
SELECT host, seconds, cores, used_up_s, loader_s, stolen_s, stolen_share
FROM v_host_conditions(run_id = {run_id:String})
ORDER BY host
