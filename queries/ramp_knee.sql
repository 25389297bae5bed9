-- SPDX-License-Identifier: Apache-2.0
-- name: ramp_knee
-- purpose: Latency over offered rate in steps of a run with a rising rate, and the step at its knee; from the rollups.
-- param run_id String: run to read
-- param stage String = end_to_end in publish|end_to_end: latency to read
-- param step_s UInt32 = 10 in 1..86400: length of a step in s
-- param percentile Float64 = 99 in 0..100: which percentile
-- param least_rise Float64 = 0.2 in 0..: least rise of the rate from one step to a later one, as a share, for a knee to
--     exist
-- returns step Int64, start_time DateTime('UTC'), seconds UInt64, due_per_s Float64, acked_per_s Float64,
--     latency_us Int64, bend Float64, knee UInt8
-- The knee is the step farthest below the straight line from the first to the last step of rate and log latency, both
-- scaled to 0 … 1 (Satopää et al. 2011, "Finding a Kneedle in a Haystack"); bend is that distance. No step is a knee if
-- none bends by 0.1 or the rate rises by less than least_rise. Steps cover the whole run except the drain; a step in
-- which the run began or ended is not whole and left out.
-- due counts acknowledged and failed messages by the second of their intended send.
WITH
    ifNull((SELECT toUInt32(ceil(toUnixTimestamp64Micro(min(start_time)) / 1e6)) FROM v_phases
        WHERE run_id = {run_id:String}), 0) AS run_start,
    ifNull((SELECT toUnixTimestamp(min(start_time)) FROM v_phases WHERE run_id = {run_id:String}
        AND phase IN ('drain', 'end')), 0) AS load_end
SELECT
    step,
    toDateTime(run_start + step * {step_s:UInt32}, 'UTC') AS start_time,
    seconds,
    due_per_s,
    acked_per_s,
    latency_us,
    if(rises AND span[2] > span[1] AND level[2] > level[1],
        (due_per_s - span[1]) / (span[2] - span[1]) - (log(latency_us) - level[1]) / (level[2] - level[1]), 0) AS bend,
    bend >= 0.1 AND step = argMax(step, bend) OVER () AS knee
FROM
(
    SELECT
        step,
        seconds,
        due_per_s,
        acked_per_s,
        latency_us,
        max(due_per_s >= (1 + {least_rise:Float64}) * lowest) OVER () AS rises,
        [min(due_per_s) OVER (), max(due_per_s) OVER ()] AS span,
        [min(log(latency_us)) OVER (), max(log(latency_us)) OVER ()] AS level
    FROM
    (
        SELECT
            intDiv(second - run_start, {step_s:UInt32}) AS step,
            toUInt64({step_s:UInt32}) AS seconds,
            sumIf(n, what = 'due') / seconds AS due_per_s,
            sumIf(n, what = 'acked') / seconds AS acked_per_s,
            min(due_per_s) OVER (ORDER BY step ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS lowest,
            greatest(1, toInt64(quantileExactWeightedIf(round({percentile:Float64} / 100, 9))(us, n,
                what = 'latency'))) AS latency_us
        FROM
        (
            SELECT toUnixTimestamp(time) AS second, 'due' AS what, 0 AS us, events AS n
            FROM v_latency_1s
            WHERE run_id = {run_id:String} AND stage = 'publish'
            UNION ALL
            SELECT toUnixTimestamp(intended_time) AS second, 'due' AS what, 0 AS us, 1 AS n
            FROM v_publish_failures
            WHERE run_id = {run_id:String}
            UNION ALL
            SELECT toUnixTimestamp(time) AS second, 'acked' AS what, 0 AS us, events AS n
            FROM v_throughput_1s
            WHERE run_id = {run_id:String} AND stage = 'acked'
            UNION ALL
            SELECT toUnixTimestamp(time) AS second, 'latency' AS what, value_us AS us, events AS n
            FROM v_latency_1s
            WHERE run_id = {run_id:String} AND stage = {stage:String}
        )
        WHERE second >= run_start AND second < run_start + intDiv(load_end - run_start,
            {step_s:UInt32}) * {step_s:UInt32}
        GROUP BY step
    )
)
ORDER BY step
