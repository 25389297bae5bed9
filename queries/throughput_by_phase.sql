-- SPDX-License-Identifier: Apache-2.0
-- name: throughput_by_phase
-- purpose: Target and reached rates of each phase, over its whole seconds, from the rollups.
-- param run_id String: run to read
-- param enough Float64 = 0.99 in 0..1: share of the target below which a second is short
-- returns phase LowCardinality(String), seconds UInt64, target_per_s Nullable(Float64), due_per_s Nullable(Float64),
--     acked_per_s Nullable(Float64), received_per_s Nullable(Float64), failed_per_s Nullable(Float64),
--     achieved Nullable(Float64), short_seconds UInt64, least_acked_per_s Nullable(UInt64)
-- due: acknowledged messages by the second of their intended send. achieved: acked_per_s over target_per_s.
-- Only seconds that lie wholly in the phase count.
WITH
    (SELECT targets FROM v_run_plan(run_id = {run_id:String})) AS targets
SELECT
    p.phase AS phase,
    countIf(p.second > 0) AS seconds,
    if(mapContains(targets, phase), targets[phase], NULL) AS target_per_s,
    if(seconds > 0, sum(r.due) / seconds, NULL) AS due_per_s,
    if(seconds > 0, sum(r.acked) / seconds, NULL) AS acked_per_s,
    if(seconds > 0, sum(r.received) / seconds, NULL) AS received_per_s,
    if(seconds > 0, sum(r.failed) / seconds, NULL) AS failed_per_s,
    acked_per_s / target_per_s AS achieved,
    countIf(p.second > 0 AND mapContains(targets, p.phase)
        AND r.acked < {enough:Float64} * targets[p.phase]) AS short_seconds,
    minOrNullIf(r.acked, p.second > 0) AS least_acked_per_s
FROM
(
    -- Second 0 keeps the row of a phase without a whole second.
    SELECT phase, start_time, arrayJoin(arrayConcat([0], range(
        toUnixTimestamp64Micro(start_time) DIV 1000000 + (toUnixTimestamp64Micro(start_time) % 1000000 != 0),
        toUnixTimestamp64Micro(end_time) DIV 1000000))) AS second
    FROM v_phases
    WHERE run_id = {run_id:String} AND phase != 'end'
) AS p
LEFT JOIN
(
    SELECT toUnixTimestamp(time) AS second, sumIf(n, what = 'due') AS due, sumIf(n, what = 'acked') AS acked,
        sumIf(n, what = 'received') AS received, sumIf(n, what = 'failed') AS failed
    FROM
    (
        SELECT time, toString(stage) AS what, events AS n FROM v_throughput_1s WHERE run_id = {run_id:String}
        UNION ALL
        SELECT time, 'due' AS what, events AS n FROM v_latency_1s WHERE run_id = {run_id:String} AND stage = 'publish'
    )
    GROUP BY second
) AS r ON r.second = p.second
GROUP BY phase
ORDER BY min(p.start_time)
