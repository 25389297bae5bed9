-- SPDX-License-Identifier: Apache-2.0
-- name: delivery_faults
-- purpose: Loss and duplicates per partition and subscription: offsets acknowledged and never received, received more
--     than once, received and never acknowledged.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, subscription UInt16, acked UInt64, received UInt64,
--     missing UInt64, duplicates UInt64, unacknowledged UInt64, acknowledged_twice UInt64
-- Exact over the whole run, in about one bit of memory a message. unacknowledged: the broker may have stored a send
-- that failed.
-- audit_offsets lists the offsets of one partition; reordering has the order; duplicates has what the unacknowledged
-- messages of a partition are.
-- With acks=0 no offsets of sent messages are known (acked: written to the socket), so missing and unacknowledged are
-- differences of counts; audit_unanswered compares the messages of one partition one by one.
WITH
    (SELECT unanswered FROM v_run_plan(run_id = {run_id:String})) AS unanswered,
    (SELECT (topics, groups) FROM v_run_plan(run_id = {run_id:String})) AS planned
SELECT
    k.topic AS topic,
    k.partition AS partition,
    k.subscription AS subscription,
    a.messages AS acked,
    d.messages AS received,
    if(unanswered, toUInt64(greatest(0, toInt64(a.messages) - toInt64(bitmapCardinality(d.offsets)))),
        bitmapAndnotCardinality(a.offsets, d.offsets)) AS missing,
    toUInt64(d.messages - bitmapCardinality(d.offsets)) AS duplicates,
    if(unanswered, toUInt64(greatest(0, toInt64(bitmapCardinality(d.offsets)) - toInt64(a.messages))),
        bitmapAndnotCardinality(d.offsets, a.offsets)) AS unacknowledged,
    if(unanswered, 0, toUInt64(a.messages - bitmapCardinality(a.offsets))) AS acknowledged_twice
FROM
(
    -- A subscription of the plan that received nothing from a partition misses all of it.
    SELECT topic, partition, arrayJoin(arrayDistinct(arrayConcat(
        arrayFlatten(groupArray(groups) OVER (PARTITION BY topic)),
        if(has(planned.1, topic), arrayMap(g -> toUInt16(g), range(planned.2)), [])))) AS subscription
    FROM
    (
        SELECT topic, partition, groupUniqArrayArray(seen) AS groups
        FROM
        (
            SELECT DISTINCT topic, partition, CAST([], 'Array(UInt16)') AS seen FROM v_publishes
                WHERE run_id = {run_id:String}
            UNION ALL
            SELECT DISTINCT topic, partition, [subscription] AS seen FROM v_deliveries WHERE run_id = {run_id:String}
        )
        GROUP BY topic, partition
    )
) AS k
LEFT JOIN
(
    SELECT topic, partition, count() AS messages, groupBitmapState(toUInt64(offset)) AS offsets
    FROM v_publishes
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition
) AS a ON a.topic = k.topic AND a.partition = k.partition
LEFT JOIN
(
    SELECT topic, partition, subscription, count() AS messages, groupBitmapState(toUInt64(offset)) AS offsets
    FROM v_deliveries
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition, subscription
) AS d ON d.topic = k.topic AND d.partition = k.partition AND d.subscription = k.subscription
ORDER BY topic, partition, subscription
