-- SPDX-License-Identifier: Apache-2.0
-- name: latency_by_group
-- purpose: Exact latency percentiles (nearest rank, raw rows) of one stage, by any group, in any window, in µs.
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
-- Every group keeps a count per different latency in memory; if those are too many (code 241), use
-- latency_by_group_bounded.
WITH (SELECT topics FROM v_run_topics(run_id = {run_id:String})) AS topics
SELECT
    topic,
    member,
    events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p75_us,
    quantiles[3] AS p90_us,
    quantiles[4] AS p95_us,
    quantiles[5] AS p99_us,
    quantiles[6] AS p99_9_us,
    quantiles[7] AS p99_99_us,
    max_us
FROM
(
    SELECT
        topics[bitShiftRight(place, 32)] AS topic,
        toInt64(bitAnd(place, 4294967295)) AS member,
        count() AS events,
        -- The weighted form counts equal values, which is cheaper than keeping and sorting every message.
        quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(us, 1) AS quantiles,
        max(us) AS max_us
    FROM v_latency_groups(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
        from_s = {from_s:Float64}, to_s = {to_s:Float64})
    GROUP BY place
)
ORDER BY topic, member
