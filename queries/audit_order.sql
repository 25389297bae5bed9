-- SPDX-License-Identifier: Apache-2.0
-- name: audit_order
-- purpose: How many messages of one partition lie before an earlier message of the same producer.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- returns reordered UInt64
-- One partition at a time: sorting a whole run at once would need more memory and disk than a long run may take.
SELECT countIf(intended_time < intended_before) AS reordered
FROM
(
    SELECT intended_time, lagInFrame(intended_time, 1, intended_time) OVER
        (PARTITION BY producer ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS intended_before
    FROM v_publishes
    WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
)
