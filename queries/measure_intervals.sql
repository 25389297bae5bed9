-- SPDX-License-Identifier: Apache-2.0
-- name: measure_intervals
-- purpose: Latencies and the load generator's CPU time per message in up to 60 intervals of the measure phase.
-- param run_id String: run to read
-- returns measure String, number UInt32, value Float64
-- measure: publish_p50_us, publish_p99_us, publish_delay_p50_us, publish_delay_p99_us, cpu_us_per_message. The notices
-- at the head of a report test them for a trend (docs/METHODOLOGY.md). Empty if the measure phase is above an hour.
SELECT measure_name AS measure, assumeNotNull(toUInt32(number)) AS number, value
FROM v_measure_intervals(run_id = {run_id:String})
ORDER BY measure, number
