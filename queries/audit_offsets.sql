-- SPDX-License-Identifier: Apache-2.0
-- name: audit_offsets
-- purpose: What differs between the offsets acknowledged and received in one partition, with the first offsets of each kind.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param subscription UInt16 = 0: consumer group of the topic, from 0
-- param first UInt32 = 5: how many offsets of each kind to list
-- returns kind String, offsets UInt64, first_offsets Array(Int64)
-- missing: acknowledged, never received. aborted: the same, in a transaction that did not commit.
-- aborted_received: received though its transaction was aborted, by a group that reads what is committed. duplicated: received more than once. unacknowledged: received, never
-- acknowledged (a send that failed may still have been written). acknowledged_twice: two rows for one offset.
-- altered: received with another producer or intended send than acknowledged. reordered: intended send before that of the same producer's message just below.
WITH
    (
        SELECT any(JSONExtractString(manifest, 'plan', 'consumer_config', 'isolation.level')) != 'read_uncommitted'
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS reads_committed
SELECT kind, count() AS offsets, arraySlice(arraySort(groupArray(offset)), 1, {first:UInt32}) AS first_offsets
FROM
(
    SELECT
        offset,
        arrayJoin(arrayFilter(k -> k != '', [
            if(acked > 0 AND received = 0, if(uncommitted, 'aborted', 'missing'), ''),
            if(acked > 0 AND received > 0 AND aborted AND reads_committed, 'aborted_received', ''),
            if(received > 1, 'duplicated', ''),
            if(acked > 1, 'acknowledged_twice', ''),
            if(acked = 1 AND received > 0 AND faces > 1, 'altered', ''),
            if(acked = 0, 'unacknowledged', '')])) AS kind
    FROM
    (
        SELECT offset, sum(is_ack) AS acked, sum(1 - is_ack) AS received, uniqExact(face) AS faces,
            max(uncommitted_row) AS uncommitted, max(aborted_row) AS aborted
        FROM
        (
            SELECT p.offset AS offset, 1 AS is_ack, cityHash64(p.producer, p.intended_time) AS face,
                r.last >= p.offset AS uncommitted_row, r.last >= p.offset AND r.name = 'aborted' AS aborted_row
            FROM (
                SELECT producer, offset, intended_time
                FROM v_publishes
                WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            ) AS p
            -- The last transaction without commit of the same producer that begins at or below the offset.
            ASOF LEFT JOIN (
                SELECT producer, name, place[2] AS first, place[3] AS last
                FROM (
                    SELECT toUInt32(JSONExtractUInt(detail, 'producer')) AS producer, toString(name) AS name,
                        arrayJoin(JSONExtract(detail, 'offsets', 'Array(Array(Int64))')) AS place
                    FROM v_run_events
                    WHERE run_id = {run_id:String} AND kind = 'transaction'
                        AND JSONExtractString(detail, 'topic') = {topic:String}
                )
                WHERE place[1] = {partition:Int32}
                -- A row that is nobody's: the offset 0 that a join without a match leaves must not match.
                UNION ALL
                SELECT toUInt32(0) AS producer, '' AS name, toInt64(-1) AS first, toInt64(-1) AS last
            ) AS r ON p.producer = r.producer AND p.offset >= r.first
            UNION ALL
            SELECT offset, 0 AS is_ack, cityHash64(producer, intended_time) AS face, 0 AS uncommitted_row, 0 AS aborted_row
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
                AND subscription = {subscription:UInt16}
        )
        GROUP BY offset
    )
    UNION ALL
    SELECT offset, 'reordered' AS kind
    FROM
    (
        SELECT offset, intended_time, lagInFrame(intended_time, 1, intended_time) OVER
            (PARTITION BY producer ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS intended_before
        FROM v_publishes
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
    )
    WHERE intended_time < intended_before
)
GROUP BY kind
ORDER BY kind
