-- SPDX-License-Identifier: Apache-2.0
-- name: audit_reread_state
-- purpose: What the plan of a run asks to read again after the run, and what the load generator states that it read.
-- param run_id String: run to read
-- returns planned String, ranges UInt64, partitions Array(Tuple(String, Int32)), counted UInt64,
--     incomplete Array(String)
-- planned: empty for nothing. counted: messages, from the ledger. incomplete: why the re-read ended early.
WITH
    (
        SELECT any(JSONExtractRaw(manifest, 'plan', 'behaviour'))
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS behaviour,
    (
        SELECT sum(events)
        FROM v_ledger
        WHERE run_id = {run_id:String} AND stream = 'deliveries' AND kind = 'reread'
    ) AS read_again
SELECT
    multiIf(JSONHas(ifNull(behaviour, ''), 'reread_messages'),
        toString(JSONExtractUInt(ifNull(behaviour, ''), 'reread_messages')) || ' messages',
        JSONHas(ifNull(behaviour, ''), 'reread_share'),
        toString(round(JSONExtractFloat(ifNull(behaviour, ''), 'reread_share') * 100, 6)) || ' %', '') AS planned,
    countIf(name = 'range') AS ranges,
    arraySort(groupUniqArrayIf((JSONExtractString(detail, 'topic'), toInt32(JSONExtractInt(detail, 'partition'))),
        name = 'range')) AS partitions,
    toUInt64(ifNull(read_again, 0)) AS counted,
    groupArrayIf(detail, name = 'incomplete') AS incomplete
FROM v_run_events
WHERE run_id = {run_id:String} AND kind = 'reread'
