-- SPDX-License-Identifier: Apache-2.0
-- name: throughput_per_second
-- purpose: Messages and bytes acknowledged, received and failed in each second, beside the workload's target rate.
-- param run_id String: run to read
-- returns time DateTime('UTC'), phase String, target_per_s Nullable(Float64), acked_per_s UInt64,
--     received_per_s UInt64, failed_per_s UInt64, acked_bytes_per_s UInt64, received_bytes_per_s UInt64,
--     failed_bytes_per_s UInt64
-- Seconds without messages are rows of zeros. target_per_s is NULL in phases without a rate.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases,
    (SELECT targets FROM v_run_plan(run_id = {run_id:String})) AS targets
SELECT
    time,
    phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2 AS phase,
    if(mapContains(targets, phase), targets[phase], NULL) AS target_per_s,
    acked.1 AS acked_per_s,
    received.1 AS received_per_s,
    failed.1 AS failed_per_s,
    acked.2 AS acked_bytes_per_s,
    received.2 AS received_bytes_per_s,
    failed.2 AS failed_bytes_per_s
FROM
(
    SELECT
        time,
        (sumIf(messages, stage = 'acked'), sumIf(size, stage = 'acked')) AS acked,
        (sumIf(messages, stage = 'received'), sumIf(size, stage = 'received')) AS received,
        (sumIf(messages, stage = 'failed'), sumIf(size, stage = 'failed')) AS failed
    FROM
    (
        SELECT time, stage, events AS messages, bytes AS size
        FROM v_throughput_1s
        WHERE run_id = {run_id:String}
        UNION ALL
        SELECT time, '' AS stage, 0 AS messages, 0 AS size FROM v_run_seconds(run_id = {run_id:String})
    )
    GROUP BY time
)
ORDER BY time
