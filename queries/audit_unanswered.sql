-- SPDX-License-Identifier: Apache-2.0
-- name: audit_unanswered
-- purpose: What differs between the messages sent with acks=0 and those received in one partition, by producer and
--     intended send.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param subscription UInt16 = 0: consumer group of the topic, from 0
-- param gaps UInt8 = 1 in 0..1: 1 if the log holds only this run's messages, so that a gap in the received offsets is a
--     lost message
-- param log_end Int64 = 0: offset at which the log ended after the run; 0 if it was not recorded
-- param first UInt32 = 5 in 1..: how many offsets of each kind to list
-- returns kind String, offsets UInt64, first_offsets Array(Int64), after_last UInt64, first_time DateTime64(6, 'UTC'),
--     last_time DateTime64(6, 'UTC')
-- offsets: number of messages. Messages of a producer with the same intended send (µs) are counted, not distinguished.
-- missing: never received, though the log has it: one per gap in the received offsets, up to the end of the log or, if
-- that was not recorded, up to the last offset that any subscription received. first_offsets lists the gaps.
-- not_received: the other messages that were never received; whether the log has them is unknown.
-- duplicated: an offset received more than once.
-- unacknowledged: received more often than sent; the log may hold a failed send.
-- reordered: intended send before that of the same producer's message at the offset below.
-- With gaps=0, for a topic that existed before the run, it looks for neither missing nor reordered messages: other
-- programs may have left the gaps, and messages that an older version of Tailrace wrote there do not name their run.
-- after_last: how many of the missing lie after the subscription's last offset; how many of the not received were to be
-- sent after their producer's last received message; how many of the unacknowledged after its last sent one. When a
-- load generator was killed, these may be uncounted.
-- long: every kind compares the same messages, which are read once.
WITH
    received AS
    (
        SELECT offset, producer, intended_time
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND subscription = {subscription:UInt16}
    ),
    (
        SELECT (toInt64(sum(offset - next)), CAST(arraySlice(arraySort(arrayFlatten(groupArray(
            range(toUInt64(next), toUInt64(least(offset, next + {first:UInt32})))))), 1, {first:UInt32}),
                'Array(Int64)'),
            toInt64(sumIf(offset - next, is_end)))
        FROM
        (
            SELECT offset, is_end, lagInFrame(offset, 1, toInt64(-1)) OVER
                (ORDER BY offset, is_end ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) + 1 AS next
            FROM
            (
                SELECT offset, 0 AS is_end FROM received
                UNION ALL
                -- The least length of the log: a subscription that is behind, or received nothing, has a gap up
                -- to here.
                SELECT greatest(max(offset) + 1, {log_end:Int64}) AS offset, 1 AS is_end
                FROM v_deliveries
                WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
                HAVING count() > 0 OR {log_end:Int64} > 0
            )
        )
        WHERE {gaps:UInt8} = 1 AND offset > next
    ) AS gap,
    ifNull(gap.1, 0) AS known,
    ifNull(gap.3, 0) AS known_behind,
    (
        SELECT mapFromArrays(groupArray(producer), groupArray(last))
        FROM (SELECT producer, max(intended_time) AS last FROM received GROUP BY producer)
    ) AS last_received,
    (
        SELECT mapFromArrays(groupArray(producer), groupArray(last))
        FROM
        (
            SELECT producer, max(intended_time) AS last
            FROM v_publishes
            WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            GROUP BY producer
        )
    ) AS last_sent
SELECT
    part.1 AS kind,
    toUInt64(part.2) AS offsets,
    part.3 AS first_offsets,
    toUInt64(least(if(kind = 'missing', known_behind, late), part.2)) AS after_last,
    first_time,
    last_time
FROM
(
    SELECT
        found.1 AS sort,
        sum(found.2) AS messages,
        sumIf(found.2, found.3) AS late,
        arraySlice(arraySort(groupArrayIf(place, place >= 0)), 1, {first:UInt32}) AS places,
        min(due) AS first_time,
        max(due) AS last_time
    FROM
    (
        SELECT
            due,
            place,
            arrayJoin(arrayFilter(each -> each.2 > 0, [
                ('not_received', sent - written, due > last_received[producer]),
                ('duplicated', came - written, 0),
                ('unacknowledged', written - sent, due > last_sent[producer])])) AS found
        FROM
        (
            SELECT
                producer,
                intended_time AS due,
                toInt64(sum(is_sent)) AS sent,
                toInt64(sum(1 - is_sent)) AS came,
                toInt64(uniqExactIf(offset, is_sent = 0)) AS written,
                if(came > 0, minIf(offset, is_sent = 0), toInt64(-1)) AS place
            FROM
            (
                SELECT producer, intended_time, toInt64(-1) AS offset, 1 AS is_sent
                FROM v_publishes
                WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
                UNION ALL
                SELECT producer, intended_time, offset, 0 AS is_sent FROM received
            )
            GROUP BY producer, intended_time
        )
    )
    GROUP BY sort
    UNION ALL
    SELECT 'reordered' AS sort, toInt64(count()) AS messages, toInt64(0) AS late,
        arraySlice(arraySort(groupArray(offset)), 1, {first:UInt32}) AS places, min(due) AS first_time,
            max(due) AS last_time
    FROM
    (
        SELECT offset, intended_time AS due, lagInFrame(intended_time, 1, intended_time) OVER
            (PARTITION BY producer ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
        FROM received
        WHERE {gaps:UInt8} = 1 AND producer < 4294967295 -- the number of other programs' messages
    )
    WHERE due < before
)
ARRAY JOIN if(sort = 'not_received',
    [('missing', least(messages, known), gap.2), ('not_received', messages - least(messages, known),
        CAST([], 'Array(Int64)'))],
    [(sort, messages, places)]) AS part
WHERE part.2 > 0
ORDER BY kind
