-- SPDX-License-Identifier: Apache-2.0
-- name: audit_offsets
-- purpose: What differs between the offsets acknowledged and received in one partition, with the first offsets of each kind.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param subscription UInt16 = 0: consumer group of the topic, from 0
-- param first UInt32 = 5: how many offsets of each kind to list
-- returns kind String, offsets UInt64, first_offsets Array(Int64)
-- missing: acknowledged, never received. duplicated: received more than once. unacknowledged: received, never
-- acknowledged (a send that failed may still have been written). acknowledged_twice: two rows for one offset.
-- altered: received with another producer or intended send than acknowledged. reordered: intended send before that of the same producer's message just below.
SELECT kind, count() AS offsets, arraySlice(arraySort(groupArray(offset)), 1, {first:UInt32}) AS first_offsets
FROM
(
    SELECT
        offset,
        arrayJoin(arrayFilter(k -> k != '', [
            if(acked > 0 AND received = 0, 'missing', ''),
            if(received > 1, 'duplicated', ''),
            if(acked > 1, 'acknowledged_twice', ''),
            if(acked = 1 AND received > 0 AND faces > 1, 'altered', ''),
            if(acked = 0, 'unacknowledged', '')])) AS kind
    FROM
    (
        SELECT offset, sum(is_ack) AS acked, sum(1 - is_ack) AS received, uniqExact(face) AS faces
        FROM
        (
            SELECT offset, 1 AS is_ack, cityHash64(producer, intended_time) AS face
            FROM v_publishes
            WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            UNION ALL
            SELECT offset, 0 AS is_ack, cityHash64(producer, intended_time) AS face
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
