-- SPDX-License-Identifier: Apache-2.0
-- name: audit_brokers
-- purpose: Per broker, the messages that were acknowledged while it led their partition.
-- param run_id String: run to read
-- returns broker Int32, partitions UInt64, acked UInt64
-- The leader is the one last seen when the message was acknowledged; before that, the first one seen.
-- broker -1: no leader was ever seen.
WITH
    -- Partitions change leaders rarely, so a run has few spans of time in which no leader changes.
    (
        SELECT arrayConcat([toInt64(0)], arraySort(groupUniqArray(toUnixTimestamp64Micro(time))))
        FROM
        (
            SELECT time, leader, lagInFrame(leader, 1, leader) OVER
                (PARTITION BY topic, partition ORDER BY time ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS leader_before
            FROM v_partition_leaders
            WHERE run_id = {run_id:String}
        )
        WHERE leader != leader_before
    ) AS changes
SELECT
    toInt32(if(empty(l.seen), -1, l.seen[greatest(1, arrayCount(each -> each.1 <= m.since, l.seen))].2)) AS broker,
    uniqExact(m.topic, m.partition) AS partitions,
    sum(m.messages) AS acked
FROM
(
    SELECT toString(topic) AS topic, partition, count() AS messages,
        roundDown(toUnixTimestamp64Micro(ack_time), changes) AS since
    FROM v_publishes
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition, since
) AS m
LEFT JOIN
(
    SELECT toString(topic) AS topic, partition, arraySort(groupArray((toUnixTimestamp64Micro(time), leader))) AS seen
    FROM v_partition_leaders
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition
) AS l ON l.topic = m.topic AND l.partition = m.partition
GROUP BY broker
ORDER BY broker
