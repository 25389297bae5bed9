-- SPDX-License-Identifier: Apache-2.0
-- name: schedule_lateness
-- purpose: How late each producer's sends were against its schedule in the measure phase: exact percentiles in µs, and how many were late.
-- param run_id String: run to read
-- param late_us Int64 = 1000: from how much on a send counts as late, µs
-- returns producer UInt32, worker UInt16, events UInt64, p50_us Int64, p99_us Int64, p99_9_us Int64, max_us Int64, late UInt64, late_share Float64
-- A producer that is late all the time is the load generator's limit, not the broker's. Messages never sent are in the ledger (audit_counts, unsent).
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT end_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end
SELECT
    producer,
    worker,
    sum(messages) AS events,
    quantileExactWeighted(0.5)(us, messages) AS p50_us,
    quantileExactWeighted(0.99)(us, messages) AS p99_us,
    quantileExactWeighted(0.999)(us, messages) AS p99_9_us,
    max(us) AS max_us,
    sumIf(messages, us >= {late_us:Int64}) AS late,
    late / events AS late_share
FROM
(
    SELECT producer, worker, publish_delay_us AS us, count() AS messages
    FROM v_publishes
    WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
    GROUP BY producer, worker, us
)
GROUP BY producer, worker
ORDER BY producer, worker
