-- SPDX-License-Identifier: Apache-2.0
-- name: omb_throughput_periods
-- purpose: Messages per period of the measure phase as OpenMessaging Benchmark prints them, and the backlog at its end.
-- param run_id String: run to read
-- param period_s UInt32 = 10 in 1..86400: length of a period
-- returns period UInt32, seconds UInt64, acked UInt64, failed UInt64, received UInt64, backlog Int64
-- Every period has a row, also one without a message.
-- The backlog counts from the run's start: acknowledged messages × consumer groups - received messages.
WITH
    (SELECT first_s FROM v_measure_phase(run_id = {run_id:String})) AS first_s,
    (SELECT end_s FROM v_measure_phase(run_id = {run_id:String})) AS end_s,
    (SELECT toInt64(greatest(1, groups)) FROM v_run_plan(run_id = {run_id:String})) AS groups
SELECT
    period,
    count() AS seconds,
    sum(acked_1s) AS acked,
    sum(failed_1s) AS failed,
    sum(received_1s) AS received,
    greatest(0, argMax(behind, second)) AS backlog
FROM
(
    SELECT
        second,
        acked_1s,
        failed_1s,
        received_1s,
        sum(assumeNotNull(groups) * toInt64(acked_1s) - toInt64(received_1s)) OVER (ORDER BY second) AS behind,
        toUInt32(intDiv(second - assumeNotNull(first_s), {period_s:UInt32})) AS period
    FROM
    (
        SELECT
            second,
            sum(if(stage = 'acked', messages, 0)) AS acked_1s,
            sum(if(stage = 'failed', messages, 0)) AS failed_1s,
            sum(if(stage = 'received', messages, 0)) AS received_1s
        FROM
        (
            SELECT toUnixTimestamp(time) AS second, toString(stage) AS stage, events AS messages
            FROM v_throughput_1s
            WHERE run_id = {run_id:String}
            UNION ALL
            SELECT arrayJoin(range(assumeNotNull(first_s), assumeNotNull(end_s))) AS second, '' AS stage, 0 AS messages
        )
        GROUP BY second
    )
)
WHERE second >= first_s AND second < end_s
GROUP BY period
ORDER BY period
