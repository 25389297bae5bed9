-- SPDX-License-Identifier: Apache-2.0
-- name: run_summary
-- purpose: One row about a run: messages counted, rates and exact latencies of the measure phase, phases, audit.
-- param run_id String: run to read
-- returns run_id String, workload_name LowCardinality(String), driver_name LowCardinality(String),
--     state LowCardinality(String), started_time DateTime64(6, 'UTC'), finished_time DateTime64(6, 'UTC'), sent UInt64,
--     acked UInt64, failed UInt64, received UInt64, lost UInt64, stored_publishes UInt64, stored_deliveries UInt64,
--     measure_s Float64, acked_per_s Nullable(Float64), received_per_s Nullable(Float64),
--     acked_bytes_per_s Nullable(Float64), received_bytes_per_s Nullable(Float64), publish_p50_us Nullable(Int64),
--     publish_p99_us Nullable(Int64), publish_p99_9_us Nullable(Int64), publish_max_us Nullable(Int64),
--     end_to_end_p50_us Nullable(Int64), end_to_end_p99_us Nullable(Int64), end_to_end_p99_9_us Nullable(Int64),
--     end_to_end_max_us Nullable(Int64),
--     phases Array(Tuple(name String, start_time DateTime64(6, 'UTC'), end_time DateTime64(6, 'UTC'))), audit String
-- sent, acked, failed, received and lost are the load generator's own counters; rates are NULL without a measure phase.
-- long: one row joins seven independent sources.
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    ifNull(dateDiff('microsecond', measure_start, measure_end) / 1e6, 0) AS seconds
SELECT
    r.run_id AS run_id,
    r.workload_name AS workload_name,
    r.driver_name AS driver_name,
    r.state AS state,
    r.started_time AS started_time,
    r.finished_time AS finished_time,
    l.sent AS sent,
    l.acked AS acked,
    l.failed AS failed,
    l.received AS received,
    l.lost AS lost,
    p.stored AS stored_publishes,
    d.stored AS stored_deliveries,
    seconds AS measure_s,
    if(seconds > 0, p.done / seconds, NULL) AS acked_per_s,
    if(seconds > 0, d.done / seconds, NULL) AS received_per_s,
    if(seconds > 0, p.done_bytes / seconds, NULL) AS acked_bytes_per_s,
    if(seconds > 0, d.done_bytes / seconds, NULL) AS received_bytes_per_s,
    if(p.due > 0, q.publish_p50, NULL) AS publish_p50_us,
    if(p.due > 0, q.publish_p99, NULL) AS publish_p99_us,
    if(p.due > 0, q.publish_p99_9, NULL) AS publish_p99_9_us,
    if(p.due > 0, p.most, NULL) AS publish_max_us,
    if(d.due > 0, q.end_to_end_p50, NULL) AS end_to_end_p50_us,
    if(d.due > 0, q.end_to_end_p99, NULL) AS end_to_end_p99_us,
    if(d.due > 0, q.end_to_end_p99_9, NULL) AS end_to_end_p99_9_us,
    if(d.due > 0, d.most, NULL) AS end_to_end_max_us,
    f.phases AS phases,
    JSONExtractString(r.audit, 'verdict') AS audit
FROM (SELECT * FROM v_runs WHERE run_id = {run_id:String}) AS r
CROSS JOIN
(
    SELECT
        sumIf(events, kind = 'sent') AS sent,
        sumIf(events, kind = 'acked') AS acked,
        sumIf(events, kind = 'failed') AS failed,
        sumIf(events, kind = 'received') AS received,
        sumIf(events, kind = 'lost') AS lost
    FROM v_ledger
    -- Rows of requests that a broker's agent lost are no messages; audit_requests has them.
    WHERE run_id = {run_id:String} AND stream != 'broker_requests'
) AS l
CROSS JOIN
(
    SELECT
        count() AS stored,
        countIf(ack_time >= measure_start AND ack_time < measure_end) AS done,
        sumIf(toUInt64(payload_bytes), ack_time >= measure_start AND ack_time < measure_end) AS done_bytes,
        countIf(intended_time >= measure_start AND intended_time < measure_end) AS due,
        maxIf(publish_latency_us, intended_time >= measure_start AND intended_time < measure_end) AS most
    FROM v_publishes
    WHERE run_id = {run_id:String}
) AS p
CROSS JOIN
(
    SELECT
        count() AS stored,
        countIf(receive_time >= measure_start AND receive_time < measure_end) AS done,
        sumIf(toUInt64(payload_bytes), receive_time >= measure_start AND receive_time < measure_end) AS done_bytes,
        countIf(intended_time >= measure_start AND intended_time < measure_end) AS due,
        maxIf(end_to_end_us, intended_time >= measure_start AND intended_time < measure_end) AS most
    FROM v_deliveries
    WHERE run_id = {run_id:String}
) AS d
CROSS JOIN
(
    SELECT
        anyIf(p50_us, stage = 'publish') AS publish_p50,
        anyIf(p99_us, stage = 'publish') AS publish_p99,
        anyIf(p99_9_us, stage = 'publish') AS publish_p99_9,
        anyIf(p50_us, stage = 'end_to_end') AS end_to_end_p50,
        anyIf(p99_us, stage = 'end_to_end') AS end_to_end_p99,
        anyIf(p99_9_us, stage = 'end_to_end') AS end_to_end_p99_9
    FROM
    (
        SELECT 'publish' AS stage, *
        FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'publish', by = 'run', from_s = 0, to_s = 0)
        UNION ALL
        SELECT 'end_to_end' AS stage, *
        FROM v_exact_percentiles(run_id = {run_id:String}, stage = 'end_to_end', by = 'run', from_s = 0, to_s = 0)
    )
) AS q
CROSS JOIN
(
    SELECT arraySort(p -> p.2, groupArray(CAST((phase, start_time, end_time),
        'Tuple(name String, start_time DateTime64(6, ''UTC''), end_time DateTime64(6, ''UTC''))'))) AS phases
    FROM v_phases
    WHERE run_id = {run_id:String}
) AS f
