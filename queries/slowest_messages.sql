-- SPDX-License-Identifier: Apache-2.0
-- name: slowest_messages
-- purpose: The messages of the measure phase with the greatest end-to-end latency, each with its surroundings.
-- param run_id String: run to read
-- param first UInt32 = 20 in 1..: how many messages
-- returns topic LowCardinality(String), partition Int32, offset Int64, subscription UInt16, producer UInt32,
--     consumer UInt32, intended_time DateTime64(6, 'UTC'), end_to_end_us Int64, publish_delay_us Nullable(Int64),
--     publish_latency_us Nullable(Int64), after_ack_us Nullable(Int64), leader Nullable(Int32), near_min_us Int64,
--     near_max_us Int64, second_p50_us Nullable(Int64), second_messages UInt64, write_latency_ms Nullable(Float64),
--     flush_latency_ms Nullable(Float64), events Array(String)
-- near_*: end-to-end latency of the 16 messages around it in its partition that were received within 10 s of it:
-- similar if the partition stalled, small if the message was alone.
-- second_*: messages of the same second (within 0.4 %).
-- write_latency_ms, flush_latency_ms: the worst second of any broker's log drive between the intended send and the
-- receive time.
-- publish_*: NULL with acks=0, because no offsets of sent messages are known.
-- events: events from 10 s before the intended send until the receive time.
-- long: each of six surroundings is one join.
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    (
        -- No message of the result is below this bucket, because enough messages of the phase's whole seconds are
        -- above it.
        SELECT min(bucket)
        FROM
        (
            SELECT bucket, sum(messages)
                OVER (ORDER BY bucket DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS slower
            FROM
            (
                SELECT bucket, sum(events) AS messages
                FROM v_latency_1s
                WHERE run_id = {run_id:String} AND stage = 'end_to_end' AND time >= measure_start AND time
                    + 1 <= measure_end
                GROUP BY bucket
            )
        )
        WHERE slower < {first:UInt32}
    ) AS least_bucket,
    -- Raw rows are read only from seconds with such messages, and from the two seconds that the phase covers in part.
    seconds AS
    (
        SELECT DISTINCT time AS second
        FROM v_latency_1s
        WHERE run_id = {run_id:String} AND stage = 'end_to_end' AND time > measure_start - 1 AND time < measure_end
            AND (bucket >= least_bucket OR time < measure_start OR time + 1 > measure_end)
    ),
    slow AS
    (
        SELECT topic, partition, offset, subscription, producer, consumer, intended_time, receive_time,
            end_to_end_us AS us
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
            AND toDateTime(intended_time, 'UTC') IN (SELECT second FROM seconds)
        ORDER BY us DESC, topic, partition, offset, subscription
        LIMIT {first:UInt32}
    ),
    places AS
    (
        SELECT topic, subscription, partition, offset, receive_time, offset + arrayJoin(range(-8, 9)) AS near FROM slow
    )
SELECT
    s.topic AS topic,
    s.partition AS partition,
    s.offset AS offset,
    s.subscription AS subscription,
    s.producer AS producer,
    s.consumer AS consumer,
    s.intended_time AS intended_time,
    s.us AS end_to_end_us,
    p.publish_delay_us AS publish_delay_us,
    p.publish_latency_us AS publish_latency_us,
    s.us - p.publish_latency_us AS after_ack_us,
    l.leader AS leader,
    n.least AS near_min_us,
    n.most AS near_max_us,
    r.p50_us AS second_p50_us,
    r.messages AS second_messages,
    d.write_ms AS write_latency_ms,
    d.flush_ms AS flush_latency_ms,
    arrayMap(e -> e.2, arrayFilter(e -> e.1 > s.intended_time - 10 AND e.1 <= s.receive_time,
        (SELECT arraySort(groupArray((time, concat(kind, ' ', name)))) FROM v_run_events
            WHERE run_id = {run_id:String}))) AS events
FROM slow AS s
LEFT JOIN
(
    SELECT topic, partition, offset, toNullable(any(publish_delay_us)) AS publish_delay_us,
        toNullable(any(publish_latency_us)) AS publish_latency_us
    FROM v_publishes
    WHERE run_id = {run_id:String} AND intended_time IN (SELECT intended_time FROM slow)
        AND (topic, partition, offset) IN (SELECT topic, partition, offset FROM slow)
    GROUP BY topic, partition, offset
) AS p ON p.topic = s.topic AND p.partition = s.partition AND p.offset = s.offset
LEFT JOIN
(
    SELECT places.topic AS topic, places.subscription AS subscription, places.partition AS partition,
        places.offset AS offset,
        min(v.us) AS least, max(v.us) AS most
    FROM places
    INNER JOIN
    (
        SELECT topic, subscription, partition, offset, receive_time, end_to_end_us AS us
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND (topic, subscription, partition, offset) IN
                (SELECT topic, subscription, partition, near FROM places)
            AND toDateTime(receive_time, 'UTC') IN
                (SELECT toDateTime(receive_time, 'UTC') + arrayJoin(range(-10, 11)) FROM slow)
    ) AS v ON v.topic = places.topic AND v.subscription = places.subscription AND v.partition = places.partition
        AND v.offset = places.near
    WHERE abs(toUnixTimestamp64Micro(v.receive_time) - toUnixTimestamp64Micro(places.receive_time)) <= 10e6
    GROUP BY topic, subscription, partition, offset
) AS n ON n.topic = s.topic AND n.subscription = s.subscription AND n.partition = s.partition AND n.offset = s.offset
LEFT JOIN
(
    SELECT time, toNullable(quantileExactWeighted(0.5)(value_us, events)) AS p50_us, sum(events) AS messages
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND stage = 'end_to_end' AND time IN (SELECT toDateTime(intended_time, 'UTC')
        FROM slow)
    GROUP BY time
) AS r ON r.time = toDateTime(s.intended_time, 'UTC')
LEFT JOIN
(
    SELECT seconds.topic AS topic, seconds.partition AS partition, seconds.offset AS offset,
        max(drive.write_ms) AS write_ms, max(drive.flush_ms) AS flush_ms
    FROM
    (
        SELECT topic, partition, offset,
            arrayJoin(range(toUnixTimestamp(intended_time), toUnixTimestamp(receive_time) + 1)) AS second
        FROM slow
        WHERE receive_time >= intended_time
    ) AS seconds
    INNER JOIN
    (
        SELECT toUInt32(toUnixTimestamp(time) - 1) AS second, max(write_latency_ms) AS write_ms,
            max(flush_latency_ms) AS flush_ms
        FROM v_drive_1s
        WHERE run_id = {run_id:String}
            AND (host, device) IN (SELECT host, device FROM v_broker_drives WHERE run_id = {run_id:String})
        GROUP BY second
    ) AS drive ON drive.second = seconds.second
    GROUP BY topic, partition, offset
) AS d ON d.topic = s.topic AND d.partition = s.partition AND d.offset = s.offset
ASOF LEFT JOIN
(
    SELECT topic, partition, time, toNullable(leader) AS leader FROM v_partition_leaders WHERE run_id = {run_id:String}
) AS l ON l.topic = s.topic AND l.partition = s.partition AND l.time <= s.receive_time
ORDER BY end_to_end_us DESC, topic, partition, offset, subscription
