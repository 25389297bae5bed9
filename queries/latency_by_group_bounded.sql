-- SPDX-License-Identifier: Apache-2.0
-- name: latency_by_group_bounded
-- purpose: The answer of latency_by_group in memory that does not grow with the number of different latencies, for two
--     to three times its CPU time.
-- param run_id String: run to read
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param by String = partition in run|second|topic|partition|producer|worker|subscription|consumer: what to group by
-- only by=subscription|consumer with stage=end_to_end
-- param from_s Float64 = 0: start of the window, s after the measure phase began; negative reaches into the warm-up
-- param to_s Float64 = 0 in 0|>from_s: end of the window, likewise; 0 for the end of the measure phase
-- returns topic String, member Int64, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64,
--     p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
-- member is the number of the partition, producer, …; for a second its time in s since 1970; for topics and the run 0.
-- A message belongs to the window of its intended send.
SELECT topic, member, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
    from_s = {from_s:Float64}, to_s = {to_s:Float64})
ORDER BY topic, member
