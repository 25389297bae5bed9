-- SPDX-License-Identifier: Apache-2.0
-- name: audit_partitions
-- purpose: Per partition and subscription, whether the offsets acknowledged and the offsets received are the same, and in order.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, subscription UInt16, acked UInt64, received UInt64, same UInt8, reordered UInt64
-- same compares the count and the sum of a hash of every offset; audit_offsets lists what differs in one partition.
-- reordered: messages whose intended send lies before that of the same producer's message just below them.
WITH
    -- Every topic of the plan has the same number of consumer groups.
    (
        SELECT (
            arrayMap(topic -> JSONExtractString(topic, 'name'), any(JSONExtractArrayRaw(manifest, 'plan', 'topics'))) AS topics,
            intDivOrZero(any(JSONExtractUInt(manifest, 'plan', 'consumer_groups')), length(topics)))
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS planned
SELECT
    topic,
    partition,
    subscription,
    acked,
    got[subscription].1 AS received,
    (acked, acked_hash) = got[subscription] AS same,
    reordered
FROM
(
    SELECT
        topic,
        partition,
        sumIf(messages, side = 'acked') AS acked,
        sumIf(hash, side = 'acked') AS acked_hash,
        sumIf(messages, side = 'reordered') AS reordered,
        mapFromArrays(groupArrayIf(group, side = 'received'), groupArrayIf((messages, hash), side = 'received')) AS got,
        -- A subscription of the topic that received nothing from this partition is missing it all.
        arrayJoin(arrayDistinct(arrayConcat(
            arrayFlatten(groupArray(mapKeys(got)) OVER (PARTITION BY topic)),
            if(has(planned.1, topic), arrayMap(group -> toUInt16(group), range(planned.2)), [])))) AS subscription
    FROM
    (
        SELECT 'acked' AS side, topic, partition, toUInt16(0) AS group,
            count() AS messages, sum(cityHash64(offset)) AS hash
        FROM v_publishes
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition
        UNION ALL
        SELECT 'received' AS side, topic, partition, subscription AS group,
            count() AS messages, sum(cityHash64(offset)) AS hash
        FROM v_deliveries
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition, subscription
        UNION ALL
        -- A window sorts, and a sort spills to disk; collecting each partition's offsets would need it all in memory.
        SELECT 'reordered' AS side, topic, partition, toUInt16(0) AS group,
            countIf(intended_time < intended_before) AS messages, 0 AS hash
        FROM
        (
            SELECT topic, partition, intended_time, lagInFrame(intended_time, 1, intended_time) OVER
                (PARTITION BY topic, partition, producer ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS intended_before
            FROM v_publishes
            WHERE run_id = {run_id:String}
        )
        GROUP BY topic, partition
    )
    GROUP BY topic, partition
)
ORDER BY topic, partition, subscription
