-- SPDX-License-Identifier: Apache-2.0
-- name: audit_order
-- purpose: Per partition, how many messages lie before an earlier message of the same producer; one slice of the partitions.
-- param run_id String: run to read
-- param topic String: topic
-- param slices UInt32 = 1 in 1..: into how many slices the topic's partitions are cut
-- param slice UInt32 = 0 in <slices: which of them to read, from 0
-- returns partition Int32, reordered UInt64
-- A slice at a time: sorting a whole run at once would need more memory and disk than a long run may take.
-- With acks=0 only who received a message knows its offset: then it is the order that subscription 0 found. Not where the
-- topic existed before, for messages of other runs lie there whose producers have the same numbers: no row then.
WITH
    (
        SELECT trimBoth(any(JSONExtractString(manifest, 'plan', 'producer_config', 'acks'))) = '0'
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS no_answers,
    (
        SELECT arrayExists(each -> JSONExtractString(each, 'name') = {topic:String} AND JSONExtractBool(each, 'existing'),
            any(JSONExtractArrayRaw(manifest, 'plan', 'topics')))
        FROM v_runs
        WHERE run_id = {run_id:String}
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
            AND NOT ifNull(no_answers, 0)
        UNION ALL
        SELECT partition, producer, offset, intended_time
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition % {slices:UInt32} = {slice:UInt32}
            AND subscription = 0 AND producer < 4294967295 -- that one is other programs'
            AND ifNull(no_answers, 0) AND NOT ifNull(existing, 0)
    )
)
GROUP BY partition
ORDER BY partition
