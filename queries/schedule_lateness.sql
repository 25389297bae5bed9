-- SPDX-License-Identifier: Apache-2.0
-- name: schedule_lateness
-- purpose: Publish delay of each producer in the measure phase: exact percentiles in µs, and the number of late sends.
-- param run_id String: run to read
-- param late_us Int64 = 1000: least publish delay of a late send, µs
-- returns producer UInt32, worker UInt16, events UInt64, p50_us Int64, p99_us Int64, p99_9_us Int64, max_us Int64,
--     late UInt64, late_share Float64
-- A producer that is always late shows the load generator's limit, not the broker's.
-- Messages that were never sent are in the ledger (audit_counts, unsent).
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end
SELECT
    counted.producer AS producer,
    counted.worker AS worker,
    counted.messages AS events,
    ranked.p50_us AS p50_us,
    ranked.p99_us AS p99_us,
    ranked.p99_9_us AS p99_9_us,
    counted.most AS max_us,
    counted.late AS late,
    late / events AS late_share
FROM
(
    SELECT producer, worker, count() AS messages, max(publish_delay_us) AS most,
        countIf(publish_delay_us >= {late_us:Int64}) AS late
    FROM v_publishes
    WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
    GROUP BY producer, worker
) AS counted
INNER JOIN v_exact_percentiles(run_id = {run_id:String}, stage = 'publish_delay', by = 'producer', from_s = 0,
    to_s = 0) AS ranked
    ON ranked.member = counted.producer
ORDER BY producer, worker
