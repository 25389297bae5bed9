-- SPDX-License-Identifier: Apache-2.0
-- name: audit_redelivered
-- purpose: Messages of one partition that a subscription received more than once, and whether a rebalance explains it.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param subscription UInt16 = 0: consumer group of the topic, from 0
-- param first UInt32 = 5 in 1..: how many offsets to list
-- returns offsets UInt64, deliveries UInt64, unexplained UInt64, first_unexplained Array(Int64)
-- offsets: received more than once. deliveries: those after the first of each. A consumer group commits its position at
-- intervals, so after a rebalance the partition's consumer starts at the committed offset and receives what lies
-- between again. A delivery is unexplained unless, since the delivery before it, the partition was assigned to its
-- consumer; or, if another consumer received it before, unless both had the partition assigned at some time before.
SELECT
    uniqExact(offset) AS offsets,
    count() AS deliveries,
    uniqExactIf(offset, NOT explained) AS unexplained,
    arraySlice(arraySort(groupUniqArrayIf(offset, NOT explained)), 1, {first:UInt32}) AS first_unexplained
FROM
(
    SELECT
        offset,
        nth,
        if(consumer = consumer_before, assigned_time > time_before, assigned_time > toDateTime64(0, 6, 'UTC')
            AND assigned_before > toDateTime64(0, 6, 'UTC')) AS explained
    FROM
    (
        SELECT
            offset,
            consumer,
            assigned_time,
            row_number() OVER each AS nth,
            lagInFrame(receive_time) OVER each AS time_before,
            lagInFrame(consumer) OVER each AS consumer_before,
            lagInFrame(assigned_time) OVER each AS assigned_before
        FROM
        (
            SELECT d.offset AS offset, d.consumer AS consumer, d.receive_time AS receive_time,
                a.time AS assigned_time
            FROM
            (
                SELECT offset, consumer, receive_time
                FROM v_deliveries
                WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
                    AND subscription = {subscription:UInt16}
                    AND offset IN (
                        SELECT offset
                        FROM v_deliveries
                        WHERE run_id = {run_id:String} AND topic = {topic:String}
                            AND partition = {partition:Int32} AND subscription = {subscription:UInt16}
                        GROUP BY offset
                        HAVING count() > 1
                    )
            ) AS d
            -- The last time at which the partition was assigned to the consumer.
            ASOF LEFT JOIN (
                SELECT toUInt32(JSONExtractUInt(detail, 'consumer')) AS consumer, time
                FROM v_run_events
                WHERE run_id = {run_id:String} AND kind = 'rebalance' AND name = 'assigned'
                    AND has(JSONExtract(detail, 'partitions', 'Array(Int32)'), {partition:Int32})
            ) AS a ON d.consumer = a.consumer AND d.receive_time >= a.time
        )
        WINDOW each AS
            (PARTITION BY offset ORDER BY receive_time, consumer ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
    )
)
WHERE nth > 1
