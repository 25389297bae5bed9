-- SPDX-License-Identifier: Apache-2.0
-- name: audit_order
-- purpose: Per partition, how many messages lie before an earlier message of the same producer; one slice of the
--     partitions.
-- param run_id String: run to read
-- param topic String: topic
-- param slices UInt32 = 1 in 1..: number of slices of the topic's partitions
-- param slice UInt32 = 0 in <slices: which of them to read, from 0
-- returns partition Int32, reordered UInt64
-- It reads one slice, because sorting a whole long run at once needs too much memory and disk.
-- With acks=0 only a receiver knows a message's offset, so the order is the one that subscription 0 received.
-- Then a topic that existed before the run has no rows: messages that an older version of Tailrace wrote there do not
-- name their run, and their producers have the same numbers.
WITH
    (SELECT unanswered FROM v_run_plan(run_id = {run_id:String})) AS unanswered,
    (
        SELECT arrayExists((name, old) -> name = {topic:String} AND old, topics, existing)
        FROM v_run_plan(run_id = {run_id:String})
    ) AS existing
SELECT partition, countIf(intended_time < intended_before) AS reordered
FROM
(
    SELECT partition, intended_time, lagInFrame(intended_time, 1, intended_time) OVER
        (PARTITION BY partition, producer ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS intended_before
    FROM
    (
        SELECT partition, producer, offset, intended_time
        FROM v_publishes
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition % {slices:UInt32} = {slice:UInt32}
            AND NOT ifNull(unanswered, 0)
        UNION ALL
        SELECT partition, producer, offset, intended_time
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition % {slices:UInt32} = {slice:UInt32}
            AND subscription = 0 AND producer < 4294967295 -- the number of other programs' messages
            AND ifNull(unanswered, 0) AND NOT ifNull(existing, 0)
    )
)
GROUP BY partition
ORDER BY partition
