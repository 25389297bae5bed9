-- SPDX-License-Identifier: Apache-2.0
-- name: duplicates
-- purpose: Messages of one partition that were received at an offset that no acknowledgement names: what each of them
--     is, with the first of each kind.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param subscription UInt16 = 0: consumer group of the topic, from 0
-- param first UInt32 = 5 in 1..: how many messages of each kind to list
-- returns kind String, messages UInt64, producer UInt32, sequence Int64, intended_time DateTime64(6, 'UTC'),
--     offsets Array(Int64)
-- duplicate: one message, by producer, intended send and tie, at all of these offsets; those after the first count.
-- failed: its send failed, and the log has it all the same.
-- unexplained: neither acknowledged nor failed: its row is missing, or the log has a message that was never sent.
-- foreign: not of this run, in a topic that existed before it; it has no sequence, and its producer is 4294967295.
-- messages: all of the kind in the partition; rows list the first of them by offset.
-- sequence: the message's number within its producer, from 0. Where deliveries do not keep it, it is the number of the
-- producer's stored publishes and failures with an earlier intended send, plus the tie.
-- Runs of versions without ties: messages of a producer with the same intended send, in µs, pass for one message.
-- long: the kinds are separated by comparing the same rows, and the sequences of the listed ones are counted.
WITH
    ifNull((SELECT unanswered FROM v_run_plan(run_id = {run_id:String})), 0) AS no_offsets,
    -- As bitmaps: the offsets of a partition follow each other, so millions of them need some kilobytes.
    (
        SELECT groupBitmapState(toUInt64(offset))
        FROM v_publishes
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32} AND offset >= 0
    ) AS acked_offsets,
    suspect AS
    (
        SELECT DISTINCT producer, intended_time, tie
        FROM v_deliveries
        WHERE NOT no_offsets AND run_id = {run_id:String} AND topic = {topic:String}
            AND partition = {partition:Int32} AND subscription = {subscription:UInt16} AND producer < 4294967295
            AND NOT bitmapContains(acked_offsets, toUInt64(offset))
        UNION ALL
        -- With acks=0 no acknowledgement names an offset.
        SELECT producer, intended_time, tie
        FROM v_deliveries
        WHERE no_offsets AND run_id = {run_id:String} AND topic = {topic:String}
            AND partition = {partition:Int32} AND subscription = {subscription:UInt16} AND producer < 4294967295
        GROUP BY producer, intended_time, tie
        HAVING uniqExact(offset) > 1 OR (producer, intended_time) NOT IN (
            SELECT producer, intended_time
            FROM v_publishes
            WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
        )
    ),
    acked AS
    (
        SELECT producer, intended_time
        FROM v_publishes
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND (producer, intended_time) IN (SELECT producer, intended_time FROM suspect)
    ),
    found AS
    (
        SELECT
            producer, intended_time, tie,
            max(sequence) AS kept_sequence,
            arraySort(groupUniqArray(offset)) AS places,
            max((producer, intended_time) IN (SELECT producer, intended_time FROM acked)
                AND (no_offsets OR bitmapContains(acked_offsets, toUInt64(offset)))) AS answered,
            (producer, intended_time, tie) IN (
                SELECT producer, intended_time, tie
                FROM v_publish_failures
                WHERE run_id = {run_id:String} AND topic = {topic:String}
            ) AS gave_up
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND subscription = {subscription:UInt16}
            AND (producer, intended_time, tie) IN (SELECT producer, intended_time, tie FROM suspect)
        GROUP BY producer, intended_time, tie
    ),
    judged AS
    (
        SELECT producer, intended_time, tie, kept_sequence, each.1 AS sort, each.2 AS copies, each.3 AS places
        FROM
        (
            SELECT *, arrayJoin(arrayFilter(k -> k.2 > 0, [
                ('duplicate', toInt64(length(places) - 1), places),
                ('failed', toInt64(NOT answered AND gave_up), [places[1]]),
                ('unexplained', toInt64(NOT answered AND NOT gave_up), [places[1]])
            ])) AS each
            FROM found
        )
    ),
    foreign AS
    (
        SELECT producer, intended_time, tie, offset
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND subscription = {subscription:UInt16} AND producer = 4294967295
    ),
    (SELECT groupBitmapState(toUInt64(offset)) FROM foreign) AS foreign_offsets,
    listed AS
    (
        SELECT *, sum(copies) OVER (PARTITION BY sort) AS total
        FROM judged
        ORDER BY sort, places[1]
        LIMIT {first:UInt32} BY sort
        UNION ALL
        SELECT producer, any(intended_time), any(tie), toInt64(-1) AS kept_sequence, 'foreign' AS sort,
            toInt64(1) AS copies, [offset] AS places, toInt64(bitmapCardinality(foreign_offsets)) AS total
        FROM foreign
        WHERE has(bitmapToArray(bitmapSubsetLimit(foreign_offsets, 0, {first:UInt32})), toUInt64(offset))
        GROUP BY producer, offset
    )
SELECT
    l.sort AS kind,
    toUInt64(any(l.total)) AS messages,
    l.producer AS producer,
    multiIf(l.producer = 4294967295, -1, any(l.kept_sequence) >= 0, any(l.kept_sequence),
        toInt64(countIf(s.is_sent AND s.intended_time < l.intended_time) + l.tie)) AS sequence,
    l.intended_time AS intended_time,
    any(l.places) AS offsets
FROM
(
    SELECT producer, intended_time, 1 AS is_sent
    FROM v_publishes
    WHERE run_id = {run_id:String} AND producer IN (SELECT producer FROM listed WHERE kept_sequence < 0)
    UNION ALL
    SELECT producer, intended_time, 1 AS is_sent
    FROM v_publish_failures
    WHERE run_id = {run_id:String} AND producer IN (SELECT producer FROM listed WHERE kept_sequence < 0)
    UNION ALL
    -- So that the message of a producer without a stored send is listed too.
    SELECT DISTINCT producer, toDateTime64(0, 6, 'UTC') AS intended_time, 0 AS is_sent FROM listed
) AS s
INNER JOIN listed AS l ON l.producer = s.producer
GROUP BY l.sort, l.producer, l.intended_time, l.tie
ORDER BY kind, offsets[1]
