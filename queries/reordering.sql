-- SPDX-License-Identifier: Apache-2.0
-- name: reordering
-- purpose: Messages that lie in a partition behind a message of the same producer that was due later, per topic and partition.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, messages UInt64, reordered UInt64, worst_us Int64
-- worst_us: the most by which a message was due before the one just below it. The whole run is sorted by partition,
-- producer and offset, on disk where it does not fit in memory (some 8 B a message there while the query runs).
-- With acks=0 only who received a message knows its offset: then it is the order that subscription 0 found. Topics that
-- existed before have no row then, for messages of other runs lie there whose producers have the same numbers.
WITH
    (
        SELECT trimBoth(any(JSONExtractString(manifest, 'plan', 'producer_config', 'acks'))) = '0'
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS no_answers,
    (
        SELECT arrayMap(each -> JSONExtractString(each, 'name'), arrayFilter(each -> JSONExtractBool(each, 'existing'),
            any(JSONExtractArrayRaw(manifest, 'plan', 'topics'))))
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS existing,
    (SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS topics
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
        -- Numbers are sorted faster than names.
        SELECT bitShiftLeft(toUInt64(indexOf(topics, topic)), 32) + toUInt32(partition) AS place, producer, offset,
            toUnixTimestamp64Micro(intended_time) AS us
        FROM v_publishes
        WHERE run_id = {run_id:String} AND NOT ifNull(no_answers, 0)
        UNION ALL
        SELECT bitShiftLeft(toUInt64(indexOf(topics, topic)), 32) + toUInt32(partition) AS place, producer, offset,
            toUnixTimestamp64Micro(intended_time) AS us
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND subscription = 0 AND producer < 4294967295 AND ifNull(no_answers, 0)
            AND NOT has(existing, CAST(topic, 'String'))
    )
)
GROUP BY place
ORDER BY topic, partition
