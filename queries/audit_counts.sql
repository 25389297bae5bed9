-- SPDX-License-Identifier: Apache-2.0
-- name: audit_counts
-- purpose: Per worker and stream, what the load generator counted (ledger) beside the rows that are stored.
-- param run_id String: run to read
-- param source String = rows in rows|rollup: where messages are counted: every stored row, or the rollup
-- returns worker UInt16, stream String, ledger_rows UInt64, sent UInt64, acked UInt64, failed UInt64, aborted UInt64,
--     in_doubt UInt64, unsent UInt64, received UInt64, redelivered UInt64, foreign UInt64, other_run UInt64,
--     corrupt UInt64, recorded UInt64, lost UInt64, lost_reasons Map(String, UInt64), stored UInt64,
--     unknown Array(String), identified UInt8, begun UInt64, ended UInt64
-- unknown: kinds of the ledger that are missing from a killed worker's spool.
-- identified: whether producer, intended send and tie identify a message; versions that did not record a tie did not
-- count the messages of other runs either.
-- Reading the rollup costs little whatever the number of messages; audit_rollups compares it with the rows.
-- A sound run has: sent = acked + failed; recorded = stored + lost; lost = 0; unsent = 0; corrupt = 0.
-- Every worker of the run has a row for every stream, also when it stored nothing; for transactions only if its ledger
-- has them, which those of older versions have not.
-- long: one count of rows for each stream.
SELECT
    worker,
    stream,
    sum(ledger_row) AS ledger_rows,
    sumIf(events, kind = 'sent') AS sent,
    sumIf(events, kind = 'acked') AS acked,
    sumIf(events, kind = 'failed') AS failed,
    sumIf(events, kind = 'aborted') AS aborted,
    sumIf(events, kind = 'in_doubt') AS in_doubt,
    sumIf(events, kind = 'unsent') AS unsent,
    sumIf(events, kind = 'received') AS received,
    sumIf(events, kind = 'redelivered') AS redelivered,
    sumIf(events, kind = 'foreign') AS foreign,
    sumIf(events, kind = 'other_run') AS other_run,
    sumIf(events, kind = 'corrupt') AS corrupt,
    sumIf(events, kind = 'recorded') AS recorded,
    sumIf(events, kind = 'lost') AS lost,
    sumMapIf(map(reason, events), kind = 'lost') AS lost_reasons,
    sumIf(events, kind = 'stored') AS stored,
    arraySort(groupUniqArrayIf(kind, reason = 'unknown')) AS unknown,
    max(kind = 'other_run') AS identified,
    sumIf(events, kind = 'begun') AS begun,
    sumIf(events, kind = 'ended') AS ended
FROM
(
    SELECT worker, stream, kind, reason, events, 1 AS ledger_row
    FROM v_ledger
    -- A broker's agent ends its ledger when the run has been quiet for a while, maybe after this audit.
    WHERE run_id = {run_id:String} AND stream != 'broker_requests'
    UNION ALL
    SELECT
        toUInt16(arrayJoin(range(workers))) AS worker,
        arrayJoin(['publishes', 'deliveries', 'publish_failures', 'run_events', 'partition_leaders']) AS stream,
        '' AS kind, '' AS reason, 0 AS events, 0 AS ledger_row
    FROM v_runs
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT worker, 'publishes' AS stream, 'stored' AS kind, '' AS reason, count() AS events, 0 AS ledger_row
    FROM v_publishes
    WHERE run_id = {run_id:String} AND {source:String} = 'rows'
    GROUP BY worker
    UNION ALL
    SELECT worker, 'deliveries' AS stream, 'stored' AS kind, '' AS reason, count() AS events, 0 AS ledger_row
    FROM v_deliveries
    WHERE run_id = {run_id:String} AND {source:String} = 'rows'
    GROUP BY worker
    UNION ALL
    SELECT worker, 'publish_failures' AS stream, 'stored' AS kind, '' AS reason, count() AS events, 0 AS ledger_row
    FROM v_publish_failures
    WHERE run_id = {run_id:String} AND {source:String} = 'rows'
    GROUP BY worker
    UNION ALL
    SELECT worker, transform(toString(stage), ['acked', 'received', 'failed'],
        ['publishes', 'deliveries', 'publish_failures'], '') AS stream, 'stored' AS kind, '' AS reason, events,
        0 AS ledger_row
    FROM v_throughput_1s
    WHERE run_id = {run_id:String} AND {source:String} = 'rollup'
    UNION ALL
    SELECT worker, 'run_events' AS stream, 'stored' AS kind, '' AS reason, count() AS events, 0 AS ledger_row
    FROM v_run_events AS e
    -- Alerts are copied from VictoriaMetrics after the run (except a worker's own, which reports that it gave up),
    -- the tailrace command measures clocks, and users write marks: no worker sent them, and no ledger counts them.
    WHERE run_id = {run_id:String} AND e.kind != 'mark' AND (e.kind != 'alert' OR e.name = 'abort')
        AND NOT (e.kind = 'clock' AND startsWith(e.name, 'measured_'))
    GROUP BY worker
    UNION ALL
    SELECT worker, 'partition_leaders' AS stream, 'stored' AS kind, '' AS reason, count() AS events, 0 AS ledger_row
    FROM v_partition_leaders
    WHERE run_id = {run_id:String}
    GROUP BY worker
    UNION ALL
    SELECT worker, 'transactions' AS stream, 'stored' AS kind, '' AS reason, count() AS events, 0 AS ledger_row
    FROM v_transactions
    WHERE run_id = {run_id:String}
    GROUP BY worker
)
GROUP BY worker, stream
ORDER BY worker, stream
