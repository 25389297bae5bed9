-- SPDX-License-Identifier: Apache-2.0
-- name: audit_received_late
-- purpose: Messages of one partition that a consumer received for the first time after a later message.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param subscription UInt16 = 0: consumer group of the topic, from 0
-- param first UInt32 = 5 in 1..: how many offsets to list
-- returns kind String, offsets UInt64, first_offsets Array(Int64), after_last UInt64, first_time DateTime64(6, 'UTC'),
--     last_time DateTime64(6, 'UTC')
-- No row if there are none. Only deliveries to one consumer are compared: clocks of two hosts differ, and after a
-- rebalance another consumer starts at the committed offset. A message that any consumer of the group received before
-- is a redelivery and not late. first_time, last_time: their first and last intended send. after_last: always 0.
SELECT
    'received_late' AS kind,
    uniqExact(offset) AS offsets,
    arraySlice(arraySort(groupUniqArray(offset)), 1, {first:UInt32}) AS first_offsets,
    toUInt64(0) AS after_last,
    min(due) AS first_time,
    max(due) AS last_time
FROM
(
    SELECT
        offset,
        due,
        received,
        received = min(received) OVER (PARTITION BY offset) AS is_first,
        min(received) OVER (
            PARTITION BY worker, consumer
            ORDER BY offset DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS next_received,
        count() OVER (
            PARTITION BY worker, consumer
            ORDER BY offset DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later
    FROM
    (
        SELECT worker, consumer, offset, min(receive_time) AS received, min(intended_time) AS due
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND subscription = {subscription:UInt16}
        GROUP BY worker, consumer, offset
    )
)
WHERE later > 0 AND received > next_received AND is_first
HAVING offsets > 0
