-- SPDX-License-Identifier: Apache-2.0
-- name: runs_kept
-- purpose: Every stored run, newest first: the verdict of its audit, whether it is pinned, and its number of messages
--     (from the rollup).
-- returns run_id String, workload_name LowCardinality(String), state LowCardinality(String),
--     started_time DateTime64(6, 'UTC'), duration_s Float64, audit String, pinned UInt8, note String, acked UInt64,
--     received UInt64
SELECT
    r.run_id AS run_id,
    r.workload_name AS workload_name,
    r.state AS state,
    r.started_time AS started_time,
    if(r.finished_time > r.started_time, dateDiff('millisecond', r.started_time, r.finished_time) / 1000,
        0) AS duration_s,
    JSONExtractString(r.audit, 'verdict') AS audit,
    p.run_id != '' AS pinned,
    p.note AS note,
    t.acked AS acked,
    t.received AS received
FROM v_runs AS r
LEFT JOIN v_run_pins AS p ON p.run_id = r.run_id
LEFT JOIN
(
    SELECT toString(run_id) AS run_id, sumIf(events, stage = 'acked') AS acked,
        sumIf(events, stage = 'received') AS received
    FROM v_throughput_1s
    GROUP BY run_id
) AS t ON t.run_id = r.run_id
ORDER BY started_time DESC, run_id DESC
