-- SPDX-License-Identifier: Apache-2.0
-- name: audit_counts_rollup
-- purpose: Per worker and stream, what the load generator counted (ledger) beside what is stored, as the report shows it; from the rollup.
-- param run_id String: run to read
-- returns worker UInt16, stream String, sent UInt64, acked UInt64, failed UInt64, received UInt64, recorded UInt64, lost UInt64, stored UInt64
-- The audit has counted the rows themselves, and the rollup against them: audit_counts, audit_rollups.
SELECT
    worker,
    stream,
    sumIf(events, kind = 'sent') AS sent,
    sumIf(events, kind = 'acked') AS acked,
    sumIf(events, kind = 'failed') AS failed,
    sumIf(events, kind = 'received') AS received,
    sumIf(events, kind = 'recorded') AS recorded,
    sumIf(events, kind = 'lost') AS lost,
    sumIf(events, kind = 'stored') AS stored
FROM
(
    SELECT worker, toString(stream) AS stream, toString(kind) AS kind, events
    FROM v_ledger
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT worker, transform(toString(stage), ['acked', 'received', 'failed'],
        ['publishes', 'deliveries', 'publish_failures'], '') AS stream, 'stored' AS kind, events
    FROM v_throughput_1s
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT worker, 'run_events' AS stream, 'stored' AS kind, count() AS events
    FROM v_run_events AS e
    -- As in audit_counts: what no worker sent.
    WHERE run_id = {run_id:String} AND e.kind != 'mark' AND (e.kind != 'alert' OR e.name = 'abort')
        AND NOT (e.kind = 'clock' AND startsWith(e.name, 'measured_'))
    GROUP BY worker
    UNION ALL
    SELECT worker, 'partition_leaders' AS stream, 'stored' AS kind, count() AS events
    FROM v_partition_leaders
    WHERE run_id = {run_id:String}
    GROUP BY worker
    UNION ALL
    -- Every worker has every stream, also when it left nothing.
    SELECT toUInt16(arrayJoin(range(workers))) AS worker,
        arrayJoin(['publishes', 'deliveries', 'publish_failures', 'run_events', 'partition_leaders']) AS stream, '' AS kind, 0 AS events
    FROM v_runs
    WHERE run_id = {run_id:String}
)
GROUP BY worker, stream
ORDER BY worker, stream
