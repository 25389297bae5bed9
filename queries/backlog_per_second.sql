-- SPDX-License-Identifier: Apache-2.0
-- name: backlog_per_second
-- purpose: Deliveries outstanding at the end of each second (acknowledged × consumer groups − received), and how fast
--     they grow or drain; from the rollup.
-- param run_id String: run to read
-- returns time DateTime('UTC'), phase String, backlog Int64, acked_per_s UInt64, received_per_s UInt64,
--     growth_per_s Int64, drained_in_s Nullable(Float64)
-- growth_per_s is negative while the backlog drains; drained_in_s: at the average of the last 10 seconds, NULL while
-- the backlog does not shrink or is empty.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases,
    (SELECT greatest(1, groups) FROM v_run_plan(run_id = {run_id:String})) AS groups
SELECT
    time,
    toString(phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2) AS phase,
    sum(growth_per_s) OVER (ORDER BY time) AS backlog,
    acked AS acked_per_s,
    received AS received_per_s,
    toInt64(acked * ifNull(groups, 1)) - toInt64(received) AS growth_per_s,
    if(backlog > 0 AND avg(growth_per_s) OVER last_10_s < 0, -backlog / avg(growth_per_s) OVER last_10_s,
        NULL) AS drained_in_s
FROM
(
    SELECT time, sumIf(n, what = 'acked') AS acked, sumIf(n, what = 'received') AS received
    FROM
    (
        SELECT time, toString(stage) AS what, events AS n
        FROM v_throughput_1s
        WHERE run_id = {run_id:String} AND stage IN ('acked', 'received')
        UNION ALL
        SELECT time, '' AS what, 0 AS n FROM v_run_seconds(run_id = {run_id:String})
    )
    GROUP BY time
)
WINDOW last_10_s AS (ORDER BY time ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)
ORDER BY time
