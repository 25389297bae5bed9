-- SPDX-License-Identifier: Apache-2.0
-- name: certify_order_per_key
-- purpose: Whether each subscription first received the messages of one producer and partition in the order of their
--     sends, also across rebalances.
-- param run_id String: run to read
-- returns kind String, messages UInt64, example String
-- A key belongs to one partition, so this order contains that of every key. Keys are not stored.
-- checked: messages received. reordered: received for the first time after a message of the same producer and partition
-- with a later send. allowed_redelivered: received again after a later one, because a group commits at intervals.
-- example: the first by its time of receipt.
-- A message is identified by producer, intended send and tie, in one number as in the payload. The messages that one
-- poll() returned have one time of receipt and are in the order of their offsets.
WITH
    -- Messages received after a later one, or after themselves. An array: the sort of all messages is made once.
    (
        SELECT groupArray((subscription, topic, partition, producer, sent, came, offset, before))
        FROM
        (
            SELECT subscription, topic, partition, producer, offset, receive_time AS came,
                bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Micro(intended_time)), 12), tie) AS sent,
                max(sent) OVER (PARTITION BY subscription, topic, partition, producer ORDER BY came, offset
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND producer < 4294967295 -- the number of other programs' messages
        )
        WHERE sent <= before
    ) AS late
SELECT kind, sum(found) AS messages, argMin(place, (found = 0, at)) AS example
FROM
(
    SELECT 'checked' AS kind, count() AS found, '' AS place, toDateTime64(0, 6, 'UTC') AS at
    FROM v_deliveries
    WHERE run_id = {run_id:String} AND producer < 4294967295
    UNION ALL
    SELECT if(is_first, 'reordered', 'allowed_redelivered') AS kind, count() AS found,
        argMin(concat(
            format('producer {}, intended send {} UTC, {}/{}@{}, ', toString(producer),
                toString(fromUnixTimestamp64Micro(toInt64(bitShiftRight(sent, 12)), 'UTC')), topic, toString(partition),
                toString(offset)),
            format('received {} UTC by subscription {}, after the message sent {} UTC', toString(came),
                toString(subscription), toString(fromUnixTimestamp64Micro(toInt64(bitShiftRight(before, 12)), 'UTC')))),
            came) AS place,
        min(came) AS at
    FROM
    (
        SELECT l.1 AS subscription, toString(l.2) AS topic, l.3 AS partition, l.4 AS producer, l.5 AS sent, l.6 AS came,
            l.7 AS offset, l.8 AS before,
            (subscription, producer, sent, came, offset) IN (
                SELECT subscription, producer,
                    bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Micro(intended_time)), 12), tie) AS sent,
                    min((receive_time, offset)).1, min((receive_time, offset)).2
                FROM v_deliveries
                WHERE run_id = {run_id:String}
                    AND (subscription, producer, sent) IN (
                        SELECT each.1, each.4, each.5 FROM (SELECT arrayJoin(late) AS each)
                    )
                GROUP BY subscription, producer, sent
            ) AS is_first
        FROM (SELECT arrayJoin(late) AS l)
    )
    GROUP BY kind
    HAVING found > 0
)
GROUP BY kind
ORDER BY kind
