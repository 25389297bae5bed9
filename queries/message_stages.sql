-- SPDX-License-Identifier: Apache-2.0
-- name: message_stages
-- purpose: Where messages of the measure phase spent their time until acknowledged: all, and the slowest 1 %.
-- param run_id String: run to read
-- returns stage String, messages UInt64, mean_us Float64, p50_us Int64, p99_us Int64, max_us Int64, share Float64,
--     slow_mean_us Float64, slow_share Float64
-- Reads every message; query stages reads the rollup. Requires the broker agent; the time of messages without a request
-- row is the stage not_measured. The stages of a message add up to its publish latency exactly, so the means add up to
-- the mean latency, and the shares to 1.
-- slow_: the messages whose publish latency is at least the 99th percentile.
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    (
        SELECT quantileExact(0.99)(publish_latency_us)
        FROM v_publishes
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
    ) AS slow_us
SELECT
    part.2 AS stage,
    count() AS messages,
    avg(part.3) AS mean_us,
    quantileExact(0.5)(part.3) AS p50_us,
    quantileExact(0.99)(part.3) AS p99_us,
    max(part.3) AS max_us,
    sum(part.3) / sum(publish_latency_us) AS share,
    avgIf(part.3, publish_latency_us >= slow_us) AS slow_mean_us,
    sumIf(part.3, publish_latency_us >= slow_us) / sumIf(publish_latency_us, publish_latency_us >= slow_us)
        AS slow_share
FROM v_message_stages(run_id = {run_id:String})
ARRAY JOIN [
    (1, 'schedule', toInt64(schedule_us)), (2, 'client', toInt64(client_us)), (3, 'throttle', toInt64(throttle_us)),
    (4, 'request_queue', toInt64(request_queue_us)), (5, 'lock_wait', toInt64(lock_wait_us)),
    (6, 'segment_roll', toInt64(segment_roll_us)), (7, 'append', toInt64(append_us)),
    (8, 'log_flush', toInt64(log_flush_us)), (9, 'handler', toInt64(handler_us)),
    (10, 'replication', toInt64(replication_us)), (11, 'response_queue', toInt64(response_queue_us)),
    (12, 'to_client', toInt64(to_client_us)), (13, 'unattributed', toInt64(unattributed_us)),
    (14, 'not_measured', toInt64(not_measured_us))] AS part
WHERE intended_time >= measure_start AND intended_time < measure_end
GROUP BY part.1, part.2
ORDER BY part.1
