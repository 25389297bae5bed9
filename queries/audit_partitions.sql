-- SPDX-License-Identifier: Apache-2.0
-- name: audit_partitions
-- purpose: Per partition and subscription, whether the offsets acknowledged and the offsets received are the same
--     messages.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, subscription UInt16, acked UInt64, received UInt64,
--     same UInt8, uncommitted UInt8, existing UInt8, share UInt8, unanswered UInt8, copied UInt8
-- uncommitted: a transaction that wrote here did not commit.
-- existing: the topic may hold messages from before the run; share: a share group, which may deliver a message again.
-- same compares the count and the sum of a hash over each message's offset, producer and intended send, so a message
-- that changed on its way is found too; audit_offsets lists what differs in one partition.
-- copied: another program copies the messages of another topic to it, so the run acknowledged none of its offsets.
-- unanswered: with acks=0 the broker reports no offsets of sent messages (acked: written to the socket); the hash
-- leaves offsets out, and audit_unanswered lists what differs.
WITH
    (SELECT unanswered FROM v_run_plan(run_id = {run_id:String})) AS no_offsets,
    (SELECT (topics, topic_groups, existing, share_groups) FROM v_run_plan(run_id = {run_id:String})) AS planned,
    (
        SELECT arrayMap(each -> JSONExtractString(each, 'name'),
            arrayFilter(each -> JSONHas(each, 'copy_of'), planned_topics))
        FROM v_run_plan(run_id = {run_id:String})
    ) AS copies,
    (
        SELECT groupUniqArray((JSONExtractString(detail, 'topic'), toInt32(place[1])))
        FROM (
            SELECT detail, arrayJoin(JSONExtract(detail, 'offsets', 'Array(Array(Int64))')) AS place
            FROM v_run_events
            WHERE run_id = {run_id:String} AND kind = 'transaction'
        )
    ) AS in_doubt
SELECT
    topic,
    partition,
    subscription,
    acked,
    got[subscription].1 AS received,
    (acked, acked_hash) = got[subscription] AS same,
    has(in_doubt, (toString(topic), partition)) AS uncommitted,
    toUInt8(arrayElement(planned.3, indexOf(planned.1, topic))) AS existing,
    toUInt8(ifNull(planned.4, 0)) AS share,
    toUInt8(ifNull(no_offsets, 0)) AS unanswered,
    has(copies, toString(topic)) AS copied
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
            arrayMap(group -> toUInt16(group),
                range(arrayElement(planned.2, indexOf(planned.1, topic))))))) AS subscription
    FROM
    (
        SELECT 'acked' AS side, topic, partition, toUInt16(0) AS group,
            count() AS messages, sum(cityHash64(offset, producer, intended_time)) AS hash
        FROM v_publishes
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition
        UNION ALL
        SELECT 'received' AS side, topic, partition, subscription AS group,
            count() AS messages, sum(cityHash64(if(no_offsets, toInt64(-1), offset), producer, intended_time)) AS hash
        FROM v_deliveries
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition, subscription
    )
    GROUP BY topic, partition
)
ORDER BY topic, partition, subscription
