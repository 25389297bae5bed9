-- SPDX-License-Identifier: Apache-2.0
-- name: audit_offsets
-- purpose: What differs between the offsets acknowledged and received in one partition, with the first offsets of each
--     kind.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param subscription UInt16 = 0: consumer group of the topic, from 0
-- param first UInt32 = 5 in 1..: how many offsets of each kind to list
-- returns kind String, offsets UInt64, first_offsets Array(Int64), after_last UInt64, first_time DateTime64(6, 'UTC'),
--     last_time DateTime64(6, 'UTC'), brokers Map(Int32, UInt64)
-- missing: acknowledged, never received.
-- aborted: the same, in an aborted transaction; in_doubt: in one whose end the broker confirmed neither way, or that
-- has no row because its load generator was killed: it was acknowledged after the end of its producer's last one.
-- aborted_received: received by a group that reads committed messages, although its transaction was aborted.
-- duplicated: received more than once.
-- unacknowledged: received, never acknowledged; the broker may have stored a send that failed.
-- acknowledged_twice: two rows for one offset.
-- altered: received with another producer or intended send than acknowledged.
-- reordered: intended send before that of the same producer's message at the offset below.
-- after_last: how many of the missing lie after the last offset received, and how many of the unacknowledged after
-- their producer's last acknowledged offset: when a load generator was killed, these may be uncounted.
-- first_time, last_time: their first and last intended send.
-- brokers: offsets by the partition's leader, as last seen at their intended send, or first seen; -1: none was seen.
-- long: every kind is a comparison of the same two sets of offsets, which are read once.
WITH
    (SELECT reads_committed FROM v_run_plan(run_id = {run_id:String})) AS reads_committed,
    (
        SELECT arraySort(groupArray((time, leader)))
        FROM v_partition_leaders
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
    ) AS leaders,
    (
        SELECT if(count() = 0, -1, max(offset))
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND subscription = {subscription:UInt16}
    ) AS last_received,
    (
        SELECT mapFromArrays(groupArray(producer), groupArray(last))
        FROM (
            SELECT producer, max(offset) AS last
            FROM v_publishes
            WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            GROUP BY producer
        )
    ) AS last_acked,
    (
        SELECT mapFromArrays(groupArray(producer), groupArray(last))
        FROM
        (
            SELECT producer, max(end_time) AS last
            FROM v_transactions
            WHERE run_id = {run_id:String} AND topic = {topic:String}
            GROUP BY producer
        )
    ) AS last_ended
SELECT
    kind,
    count() AS offsets,
    arraySlice(arraySort(groupArray(offset)), 1, {first:UInt32}) AS first_offsets,
    countIf(kind = 'missing' AND offset > last_received
        OR kind = 'unacknowledged' AND offset > if(mapContains(last_acked, sender), last_acked[sender],
            -1)) AS after_last,
    min(due) AS first_time,
    max(due) AS last_time,
    sumMap(map(toInt32(if(empty(leaders), -1, leaders[greatest(1, arrayCount(each -> each.1 <= due, leaders))].2)),
        toUInt64(1))) AS brokers
FROM
(
    SELECT
        offset,
        sender,
        due,
        arrayJoin(arrayFilter(k -> k != '', [
            if(acked > 0 AND received = 0, multiIf(aborted, 'aborted', uncommitted, 'in_doubt', 'missing'), ''),
            if(acked > 0 AND received > 0 AND aborted AND reads_committed, 'aborted_received', ''),
            if(received > 1, 'duplicated', ''),
            if(acked > 1, 'acknowledged_twice', ''),
            if(acked = 1 AND received > 0 AND faces > 1, 'altered', ''),
            if(acked = 0, 'unacknowledged', '')])) AS kind
    FROM
    (
        SELECT offset, sum(is_ack) AS acked, sum(1 - is_ack) AS received, uniqExact(face) AS faces,
            max(uncommitted_row) AS uncommitted, max(aborted_row) AS aborted,
            any(producer) AS sender, min(intended_time) AS due
        FROM
        (
            SELECT p.offset AS offset, p.producer AS producer, p.intended_time AS intended_time, 1 AS is_ack,
                cityHash64(p.producer, p.intended_time) AS face,
                r.last >= p.offset OR length(last_ended) > 0 AND p.ack_time > last_ended[p.producer] AS uncommitted_row,
                r.last >= p.offset AND r.name = 'aborted' AS aborted_row
            FROM (
                SELECT producer, offset, intended_time, ack_time
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
                -- A row that matches no producer, because a join without a match leaves offset 0.
                UNION ALL
                SELECT toUInt32(0) AS producer, '' AS name, toInt64(-1) AS first, toInt64(-1) AS last
            ) AS r ON p.producer = r.producer AND p.offset >= r.first
            UNION ALL
            SELECT offset, producer, intended_time, 0 AS is_ack, cityHash64(producer, intended_time) AS face,
                0 AS uncommitted_row, 0 AS aborted_row
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
                AND subscription = {subscription:UInt16}
        )
        GROUP BY offset
    )
    UNION ALL
    SELECT offset, producer AS sender, intended_time AS due, 'reordered' AS kind
    FROM
    (
        SELECT offset, producer, intended_time, lagInFrame(intended_time, 1, intended_time) OVER
            (PARTITION BY producer ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS intended_before
        FROM v_publishes
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
    )
    WHERE intended_time < intended_before
)
GROUP BY kind
ORDER BY kind
