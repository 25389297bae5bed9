-- SPDX-License-Identifier: Apache-2.0
-- name: reordering
-- purpose: Messages that lie in a partition behind a message of the same producer that was due later, per topic and partition.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, messages UInt64, reordered UInt64, worst_us Int64
-- worst_us: the most by which a message was due before the one just below it. Offsets are sorted in pieces of 65,536: a
-- message is one number, its offset in the piece above the µs since the run's first one was due (48 bits, nine years), so
-- that a piece is an array of numbers; where they do not fit in memory the engine keeps pieces on disk.
-- With acks=0 only who received a message knows its offset: then it is the order that subscription 0 found.
WITH
    (
        SELECT trimBoth(any(JSONExtractString(manifest, 'plan', 'producer_config', 'acks'))) = '0'
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS no_answers,
    (SELECT toUnixTimestamp64Micro(min(intended_time)) FROM v_publishes WHERE run_id = {run_id:String}) AS first_us
SELECT
    topic,
    partition,
    sum(messages) AS messages,
    sum(late + (earliest < before)) AS reordered,
    max(greatest(worst, before - earliest, 0)) AS worst_us
FROM
(
    SELECT topic, partition, messages, earliest, late, worst,
        -- The last message of the producer's piece before; of the first piece, its own first.
        lagInFrame(latest, 1, earliest) OVER
            (PARTITION BY topic, partition, producer ORDER BY piece ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
    FROM
    (
        SELECT topic, partition, producer, piece, length(due) AS messages, due[1] AS earliest, due[-1] AS latest,
            arrayCount(step -> step < 0, steps) AS late, -arrayMin(arrayPushBack(steps, 0)) AS worst
        FROM
        (
            SELECT topic, partition, producer, bitShiftRight(offset, 16) AS piece,
                arrayMap(m -> toInt64(bitAnd(m, 281474976710655)), arraySort(groupArray(
                    bitShiftLeft(toUInt64(bitAnd(offset, 65535)), 48) + toUInt64(toUnixTimestamp64Micro(intended_time) - first_us)))) AS due,
                -- The first of a piece has no step: arrayDifference gives 0 or its own value, never less.
                arrayDifference(due) AS steps
            FROM
            (
                SELECT topic, partition, producer, offset, intended_time
                FROM v_publishes
                WHERE run_id = {run_id:String} AND NOT ifNull(no_answers, 0)
                UNION ALL
                SELECT topic, partition, producer, offset, intended_time
                FROM v_deliveries
                WHERE run_id = {run_id:String} AND subscription = 0 AND producer < 4294967295 AND ifNull(no_answers, 0)
            )
            GROUP BY topic, partition, producer, piece
        )
    )
)
GROUP BY topic, partition
ORDER BY topic, partition
