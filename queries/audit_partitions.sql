-- SPDX-License-Identifier: Apache-2.0
-- name: audit_partitions
-- purpose: Per partition and subscription, whether the offsets acknowledged and the offsets received are the same messages.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, subscription UInt16, acked UInt64, received UInt64, same UInt8, uncommitted UInt8, existing UInt8, share UInt8, unanswered UInt8
-- uncommitted: a transaction that wrote here did not commit.
-- existing: the topic may hold messages from before the run; share: a share group, which may hand a message out again.
-- same compares the count and the sum of a hash over each message's offset, producer and intended send, so a message
-- that came out other than it went in is found too; audit_offsets lists what differs in one partition.
-- unanswered: with acks=0 nobody told the offsets of what was sent (acked: handed to the socket). They are left out of the
-- hash then, and audit_unanswered lists what differs.
WITH
    (
        SELECT trimBoth(any(JSONExtractString(manifest, 'plan', 'producer_config', 'acks'))) = '0'
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS no_answers,
    -- Names of the plan's topics, each one's groups (all topics alike where it does not say), whether it existed, and
    -- whether groups are share groups.
    (
        SELECT (
            arrayMap(topic -> JSONExtractString(topic, 'name'), any(JSONExtractArrayRaw(manifest, 'plan', 'topics')) AS raw),
            arrayMap(topic -> if(JSONHas(topic, 'subscriptions'), JSONExtractUInt(topic, 'subscriptions'),
                intDivOrZero(any(JSONExtractUInt(manifest, 'plan', 'consumer_groups')), length(raw))), raw),
            arrayMap(topic -> JSONExtractBool(topic, 'existing'), raw),
            any(JSONExtractString(manifest, 'plan', 'behaviour', 'groups')) = 'share')
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS planned,
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
    toUInt8(ifNull(no_answers, 0)) AS unanswered
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
            arrayMap(group -> toUInt16(group), range(arrayElement(planned.2, indexOf(planned.1, topic))))))) AS subscription
    FROM
    (
        SELECT 'acked' AS side, topic, partition, toUInt16(0) AS group,
            count() AS messages, sum(cityHash64(offset, producer, intended_time)) AS hash
        FROM v_publishes
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition
        UNION ALL
        SELECT 'received' AS side, topic, partition, subscription AS group,
            count() AS messages, sum(cityHash64(if(no_answers, toInt64(-1), offset), producer, intended_time)) AS hash
        FROM v_deliveries
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition, subscription
    )
    GROUP BY topic, partition
)
ORDER BY topic, partition, subscription
