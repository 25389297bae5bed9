-- SPDX-License-Identifier: Apache-2.0
-- name: lag_per_group
-- purpose: Per consumer group and second: messages acknowledged and not yet received, and the age of those just
--     received since their intended send; raw rows.
-- param run_id String: run to read
-- returns topic LowCardinality(String), subscription UInt16, time DateTime('UTC'), received_per_s UInt64,
--     lag_messages Int64, lag_p50_ms Nullable(Float64), lag_max_ms Nullable(Float64)
-- lag_messages is at the end of the second. lag_*_ms is NULL in seconds without a message received.
SELECT
    g.topic AS topic,
    g.subscription AS subscription,
    g.time AS time,
    d.messages AS received_per_s,
    toInt64(sum(a.messages) OVER w) - toInt64(sum(d.messages) OVER w) AS lag_messages,
    d.p50_ms AS lag_p50_ms,
    d.max_ms AS lag_max_ms
FROM
(
    SELECT topic, subscription, toDateTime(arrayJoin(range(
        (SELECT toUnixTimestamp(min(start_time)) FROM v_phases WHERE run_id = {run_id:String}),
        (SELECT toUnixTimestamp(max(start_time)) + 1 FROM v_phases WHERE run_id = {run_id:String}))), 'UTC') AS time
    FROM (SELECT DISTINCT topic, subscription FROM v_deliveries WHERE run_id = {run_id:String})
) AS g
LEFT JOIN
(
    SELECT topic, toDateTime(ack_time, 'UTC') AS time, count() AS messages
    FROM v_publishes
    WHERE run_id = {run_id:String}
    GROUP BY topic, time
) AS a ON a.topic = g.topic AND a.time = g.time
LEFT JOIN
(
    SELECT topic, subscription, time, sum(n) AS messages,
        toNullable(toFloat64(quantileExactWeighted(0.5)(ms, n))) AS p50_ms, toNullable(toFloat64(max(ms))) AS max_ms
    FROM
    (
        SELECT topic, subscription, toDateTime(receive_time, 'UTC') AS time,
            dateDiff('millisecond', intended_time, receive_time) AS ms, count() AS n
        FROM v_deliveries
        WHERE run_id = {run_id:String}
        GROUP BY topic, subscription, time, ms
    )
    GROUP BY topic, subscription, time
) AS d ON d.topic = g.topic AND d.subscription = g.subscription AND d.time = g.time
WINDOW w AS (PARTITION BY g.topic, g.subscription ORDER BY g.time)
ORDER BY topic, subscription, time
