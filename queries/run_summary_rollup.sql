-- SPDX-License-Identifier: Apache-2.0
-- name: run_summary_rollup
-- purpose: One row about a run for the head of the report: messages counted, rates of the measure phase; from ledger
--     and rollup.
-- param run_id String: run to read
-- returns run_id String, workload_name LowCardinality(String), driver_name LowCardinality(String),
--     state LowCardinality(String), started_time DateTime64(6, 'UTC'), finished_time DateTime64(6, 'UTC'), sent UInt64,
--     acked UInt64, failed UInt64, received UInt64, lost UInt64, stored_publishes UInt64, measure_s Float64,
--     acked_per_s Nullable(Float64), acked_bytes_per_s Nullable(Float64)
-- sent, acked, failed, received and lost are the load generator's own counters. Rates are of the seconds that lie
-- wholly in the measure phase, NULL if there is none. run_summary is another query because it reads every message, and
-- counts by message and not by whole second.
-- A measure phase that has not ended lasts, for measure_s and the rates, until the last second in which a message was
-- acknowledged; that second may still be filling.
WITH
    (SELECT (count(), min(start_time), max(end_time)) FROM v_measure_phase(run_id = {run_id:String})) AS measure,
    assumeNotNull((SELECT max(time) FROM v_throughput_1s WHERE run_id = {run_id:String} AND stage = 'acked')) AS last_s,
    if(measure.1 = 0 OR measure.3 > measure.2, measure.3, greatest(measure.2,
        toDateTime64(last_s, 6, 'UTC'))) AS measure_end,
    toUInt32(ceil(toUnixTimestamp64Micro(measure.2) / 1e6)) AS first_s,
    toUInt32(floor(toUnixTimestamp64Micro(measure_end) / 1e6)) AS end_s,
    assumeNotNull(dateDiff('microsecond', measure.2, measure_end) / 1e6) AS seconds
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
    t.stored AS stored_publishes,
    seconds AS measure_s,
    if(end_s > first_s, t.done / (end_s - first_s), NULL) AS acked_per_s,
    if(end_s > first_s, t.done_bytes / (end_s - first_s), NULL) AS acked_bytes_per_s
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
        sum(events) AS stored,
        sumIf(events, toUnixTimestamp(time) >= first_s AND toUnixTimestamp(time) < end_s) AS done,
        sumIf(bytes, toUnixTimestamp(time) >= first_s AND toUnixTimestamp(time) < end_s) AS done_bytes
    FROM v_throughput_1s
    WHERE run_id = {run_id:String} AND stage = 'acked'
) AS t
