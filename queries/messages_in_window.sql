-- SPDX-License-Identifier: Apache-2.0
-- name: messages_in_window
-- purpose: Single messages with an intended send in a window, slowest first, of all topics and partitions or one: raw
--     rows, latencies in µs.
-- param run_id String: run to read
-- param topic String = all: one topic, or all
-- param partition String = all: one partition, or all
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- param first UInt32 = 100 in 1..: how many messages
-- param most_rows UInt64 = 5000000 in 1..: most raw rows to search
-- returns intended_time DateTime64(6, 'UTC'), topic LowCardinality(String), partition Int32, offset Int64,
--     subscription UInt16, producer UInt32, consumer UInt32, end_to_end_us Int64, publish_delay_us Nullable(Int64),
--     publish_latency_us Nullable(Int64), after_ack_us Nullable(Int64), payload_bytes UInt32
-- If the window has more than most_rows deliveries, it searches the newest seconds that together hold at most that
-- number.
WITH
    (
        SELECT minOrNull(second)
        FROM v_newest_seconds(run_id = {run_id:String}, stage = 'end_to_end',
            from = {from:DateTime('UTC')}, to = {to:DateTime('UTC')}, most_rows = {most_rows:UInt64})
    ) AS covered_from,
    slow AS
    (
        SELECT intended_time, topic, v.partition AS partition, offset, subscription, producer, consumer,
            end_to_end_us AS us, payload_bytes
        FROM v_deliveries AS v
        WHERE run_id = {run_id:String} AND intended_time >= covered_from AND intended_time < {to:DateTime('UTC')} + 1
            AND ({topic:String} = 'all' OR topic = {topic:String})
            AND ({partition:String} = 'all' OR toString(v.partition) = {partition:String})
        ORDER BY us DESC, topic, partition, offset, subscription
        LIMIT {first:UInt32}
    )
SELECT
    s.intended_time AS intended_time,
    toString(s.topic) AS topic,
    s.partition AS partition,
    s.offset AS offset,
    s.subscription AS subscription,
    s.producer AS producer,
    s.consumer AS consumer,
    s.us AS end_to_end_us,
    p.delay_us AS publish_delay_us,
    p.latency_us AS publish_latency_us,
    s.us - p.latency_us AS after_ack_us,
    s.payload_bytes AS payload_bytes
FROM slow AS s
LEFT JOIN
(
    SELECT topic, partition, offset, toNullable(any(v.publish_delay_us)) AS delay_us,
        toNullable(any(v.publish_latency_us)) AS latency_us
    FROM v_publishes AS v
    WHERE run_id = {run_id:String} AND intended_time >= covered_from AND intended_time < {to:DateTime('UTC')} + 1
        AND (topic, partition, offset) IN (SELECT topic, partition, offset FROM slow)
    GROUP BY topic, partition, offset
) AS p ON p.topic = s.topic AND p.partition = s.partition AND p.offset = s.offset
ORDER BY end_to_end_us DESC, topic, partition, offset, subscription
