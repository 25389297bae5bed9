-- SPDX-License-Identifier: Apache-2.0
-- name: audit_partitions
-- purpose: Per partition and subscription, whether the offsets acknowledged and the offsets received are the same messages.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, subscription UInt16, acked UInt64, received UInt64, same UInt8
-- same compares the count and the sum of a hash over each message's offset, producer and intended send, so a message
-- that came out other than it went in is found too; audit_offsets lists what differs in one partition.
WITH
    -- Topics by name with their consumer groups; where a plan does not say, all have the same number.
    (
        SELECT (
            arrayMap(topic -> JSONExtractString(topic, 'name'), any(JSONExtractArrayRaw(manifest, 'plan', 'topics')) AS topics),
            arrayMap(topic -> if(JSONHas(topic, 'subscriptions'), JSONExtractUInt(topic, 'subscriptions'),
                intDivOrZero(any(JSONExtractUInt(manifest, 'plan', 'consumer_groups')), length(topics))), topics))
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS planned
SELECT
    topic,
    partition,
    subscription,
    acked,
    got[subscription].1 AS received,
    (acked, acked_hash) = got[subscription] AS same
FROM
(
    SELECT
        topic,
        partition,
        sumIf(messages, side = 'acked') AS acked,
        sumIf(hash, side = 'acked') AS acked_hash,
        mapFromArrays(groupArrayIf(group, side = 'received'), groupArrayIf((messages, hash), side = 'received')) AS got,
        -- A subscription of the topic that received nothing from this partition is missing it all.
        arrayJoin(arrayDistinct(arrayConcat(
            arrayFlatten(groupArray(mapKeys(got)) OVER (PARTITION BY topic)),
            if(has(planned.1, topic), arrayMap(group -> toUInt16(group), range(planned.2[indexOf(planned.1, topic)])), [])))) AS subscription
    FROM
    (
        SELECT 'acked' AS side, topic, partition, toUInt16(0) AS group,
            count() AS messages, sum(cityHash64(offset, producer, intended_time)) AS hash
        FROM v_publishes
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition
        UNION ALL
        SELECT 'received' AS side, topic, partition, subscription AS group,
            count() AS messages, sum(cityHash64(offset, producer, intended_time)) AS hash
        FROM v_deliveries
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition, subscription
    )
    GROUP BY topic, partition
)
ORDER BY topic, partition, subscription
