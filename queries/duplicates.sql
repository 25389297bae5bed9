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
    acked AS
    (
        SELECT producer, intended_time, offset
        FROM v_publishes
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
    ),
    received AS
    (
        SELECT producer, intended_time, tie, offset, max(sequence) AS kept
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND subscription = {subscription:UInt16}
        GROUP BY producer, intended_time, tie, offset
    ),
    suspect AS
    (
        SELECT producer, intended_time, tie
        FROM received
        WHERE NOT no_offsets AND offset NOT IN (SELECT offset FROM acked)
        UNION ALL
        -- With acks=0 no acknowledgement names an offset.
        SELECT producer, intended_time, tie
        FROM received
        WHERE no_offsets
        GROUP BY producer, intended_time, tie
        HAVING count() > 1 OR (producer, intended_time) NOT IN (SELECT producer, intended_time FROM acked)
    ),
    found AS
    (
        SELECT
            producer, intended_time, tie,
            max(kept) AS kept_sequence,
            arraySort(groupArray(offset)) AS places,
            max((producer, intended_time) IN (SELECT producer, intended_time FROM acked)
                AND (no_offsets OR offset IN (SELECT offset FROM acked))) AS answered,
            (producer, intended_time, tie) IN (
                SELECT producer, intended_time, tie
                FROM v_publish_failures
                WHERE run_id = {run_id:String} AND topic = {topic:String}
            ) AS gave_up
        FROM received
        WHERE (producer, intended_time, tie) IN (SELECT producer, intended_time, tie FROM suspect)
        GROUP BY producer, intended_time, tie
    ),
    judged AS
    (
        SELECT producer, intended_time, tie, kept_sequence, each.1 AS sort, each.2 AS copies, each.3 AS places
        FROM
        (
            SELECT *, arrayJoin(arrayFilter(k -> k.2 > 0, [
                ('foreign', toInt64(if(producer = 4294967295, length(places), 0)), places),
                ('duplicate', toInt64(if(producer < 4294967295, length(places) - 1, 0)), places),
                ('failed', toInt64(producer < 4294967295 AND NOT answered AND gave_up), [places[1]]),
                ('unexplained', toInt64(producer < 4294967295 AND NOT answered AND NOT gave_up), [places[1]])
            ])) AS each
            FROM found
        )
    ),
    listed AS
    (
        SELECT *, sum(copies) OVER (PARTITION BY sort) AS total
        FROM judged
        ORDER BY sort, places[1]
        LIMIT {first:UInt32} BY sort
    )
SELECT
    l.sort AS kind,
    toUInt64(any(l.total)) AS messages,
    l.producer AS producer,
    multiIf(l.producer = 4294967295, -1, any(l.kept_sequence) >= 0, any(l.kept_sequence),
        toInt64(countIf(s.is_sent AND s.intended_time < l.intended_time) + l.tie)) AS sequence,
    l.intended_time AS intended_time,
    any(l.places) AS offsets
FROM listed AS l
LEFT JOIN
(
    SELECT producer, intended_time, 1 AS is_sent
    FROM v_publishes
    WHERE run_id = {run_id:String} AND producer IN (SELECT producer FROM listed)
    UNION ALL
    SELECT producer, intended_time, 1 AS is_sent
    FROM v_publish_failures
    WHERE run_id = {run_id:String} AND producer IN (SELECT producer FROM listed)
) AS s ON s.producer = l.producer
GROUP BY l.sort, l.producer, l.intended_time, l.tie
ORDER BY kind, offsets[1]
