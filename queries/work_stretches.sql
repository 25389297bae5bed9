-- SPDX-License-Identifier: Apache-2.0
-- name: work_stretches
-- purpose: Messages acknowledged, received and failed a second in each interval, the target rate, and the
--     backlog, as the report draws them; from the rollup.
-- param run_id String: run to read
-- param step_s UInt32 = 1 in 1..86400: length of an interval, s
-- returns time DateTime('UTC'), phase String, target_per_s Nullable(Float64), acked_per_s Float64,
--     acked_low_per_s Float64, received_per_s Float64, failed_per_s Float64, backlog Int64
-- Rates are means of the interval's seconds; acked_low_per_s is that of its slowest second.
-- `backlog`: the most outstanding deliveries at the end of a second (acknowledged × consumer groups − received).
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases,
    (SELECT targets FROM v_run_plan(run_id = {run_id:String})) AS targets,
    (SELECT greatest(1, groups) FROM v_run_plan(run_id = {run_id:String})) AS groups
SELECT
    toDateTime(place * {step_s:UInt32}, 'UTC') AS time,
    phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2 AS phase,
    if(mapContains(targets, phase), targets[phase], NULL) AS target_per_s,
    avg(acked) AS acked_per_s,
    min(acked) * 1. AS acked_low_per_s,
    avg(received) AS received_per_s,
    avg(failed) AS failed_per_s,
    max(backlog_then) AS backlog
FROM
(
    SELECT
        intDiv(toUnixTimestamp(second), {step_s:UInt32}) AS place,
        acked,
        received,
        failed,
        sum(toInt64(acked * ifNull(groups, 1)) - toInt64(received)) OVER (ORDER BY second) AS backlog_then
    FROM
    (
        SELECT
            time AS second,
            sumIf(n, what = 'acked') AS acked,
            sumIf(n, what = 'received') AS received,
            sumIf(n, what = 'failed') AS failed
        FROM
        (
            SELECT time, toString(stage) AS what, events AS n
            FROM v_throughput_1s
            WHERE run_id = {run_id:String}
            UNION ALL
            SELECT time, '' AS what, 0 AS n FROM v_run_seconds(run_id = {run_id:String})
        )
        GROUP BY second
    )
)
GROUP BY place
ORDER BY time
