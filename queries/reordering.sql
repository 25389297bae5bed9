-- SPDX-License-Identifier: Apache-2.0
-- name: reordering
-- purpose: Messages stored after a message of the same producer with a later intended send, per topic and partition.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, messages UInt64, reordered UInt64, worst_us Int64
-- worst_us: the greatest time by which a message's intended send was before that of the message at the offset below.
-- The query sorts the whole run by partition, producer and offset, on disk if it does not fit in memory (about 8 B a
-- message while it runs).
-- With acks=0 only a receiver knows a message's offset, so the order is the one that subscription 0 received.
-- Then topics that existed before the run have no rows: messages that an older version of Tailrace wrote there do not
-- name their run, and their producers have the same numbers.
WITH
    (SELECT unanswered FROM v_run_plan(run_id = {run_id:String})) AS unanswered,
    (SELECT arrayFilter((name, old) -> old, topics, existing) FROM v_run_plan(run_id = {run_id:String})) AS existing,
    (SELECT topics FROM v_run_topics(run_id = {run_id:String})) AS topics
SELECT
    toLowCardinality(topics[bitShiftRight(place, 32)]) AS topic,
    toInt32(bitAnd(place, 4294967295)) AS partition,
    count() AS messages,
    countIf(us < before) AS reordered,
    max(greatest(before - us, 0)) AS worst_us
FROM
(
    SELECT place, us, lagInFrame(us, 1, us) OVER
        (PARTITION BY place, producer ORDER BY offset, us ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
    FROM
    (
        -- Numbers sort faster than names.
        SELECT bitShiftLeft(toUInt64(indexOf(topics, topic)), 32) + toUInt32(partition) AS place, producer, offset,
            toUnixTimestamp64Micro(intended_time) AS us
        FROM v_publishes
        WHERE run_id = {run_id:String} AND NOT ifNull(unanswered, 0)
        UNION ALL
        SELECT bitShiftLeft(toUInt64(indexOf(topics, topic)), 32) + toUInt32(partition) AS place, producer, offset,
            toUnixTimestamp64Micro(intended_time) AS us
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND subscription = 0 AND producer < 4294967295 AND ifNull(unanswered, 0)
            AND NOT has(existing, CAST(topic, 'String'))
    )
)
GROUP BY place
ORDER BY topic, partition
