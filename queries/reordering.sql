-- SPDX-License-Identifier: Apache-2.0
-- name: reordering
-- purpose: Messages that lie in a partition behind a message of the same producer that was due later, per topic and partition.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, messages UInt64, reordered UInt64, worst_us Int64
-- worst_us: the most by which a message was due before the one just below it. Sorts every message of the run: of a long
-- run ask audit_order for one partition at a time.
SELECT
    topic,
    partition,
    count() AS messages,
    countIf(intended_time < intended_before) AS reordered,
    max(greatest(0, dateDiff('microsecond', intended_time, intended_before))) AS worst_us
FROM
(
    SELECT topic, partition, intended_time, lagInFrame(intended_time, 1, intended_time) OVER
        (PARTITION BY topic, partition, producer ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS intended_before
    FROM v_publishes
    WHERE run_id = {run_id:String}
)
GROUP BY topic, partition
ORDER BY topic, partition
