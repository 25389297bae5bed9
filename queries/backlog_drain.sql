-- SPDX-License-Identifier: Apache-2.0
-- name: backlog_drain
-- purpose: How each consumer group drained the backlog: size, time and rate, and when its end-to-end latency fell below
--     a second again.
-- param run_id String: run to read
-- returns topic String, subscription UInt16, build_s Float64, backlog UInt64, drain_s Nullable(Float64),
--     drained_per_s Nullable(Float64), sub_second_after_s Nullable(Float64), verdict String
-- backlog: messages acknowledged before consumers resumed and not received by then. drain_s: from then until the last
-- of them was received; NULL when one never was. drained_per_s: messages received meanwhile, including those of the
-- ongoing load.
-- sub_second_after_s: from the resumption until the last message that took a second or more; NULL when such messages
-- still arrived in the last second of load.
-- verdict: the load generator's, from run_events.
-- With acks=0 no offsets of sent messages are known: the backlog is the messages with an intended send before consumers
-- resumed.
-- long: all columns compare the deliveries with one mark per partition.
WITH
    (SELECT unanswered FROM v_run_plan(run_id = {run_id:String})) AS unanswered,
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'backlog_build') AS built_from,
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'backlog_drain') AS resumed,
    (
        SELECT min(start_time) FROM v_phases
        WHERE run_id = {run_id:String} AND phase IN ('drain', 'end') AND start_time > resumed
    ) AS load_ended,
    (
        SELECT arrayStringConcat(groupUniqArray(toString(name)), ', ') FROM v_run_events
        WHERE run_id = {run_id:String} AND kind = 'phase_end' AND name IN ('backlog_drained', 'not_backlog_drained')
    ) AS endings,
    -- The last offset that was acknowledged when consumers resumed, and the number of messages up to it (with acks=0:
    -- with an intended send by then).
    acked_by_partition AS
    (
        SELECT m.topic AS topic, m.partition AS partition, any(m.mark) AS mark,
            countIf(if(ifNull(unanswered, 0), v.intended_time < resumed, v.offset <= m.mark)) AS messages
        FROM v_publishes AS v
        INNER JOIN
        (
            SELECT topic, partition, maxIf(offset, ack_time < resumed) AS mark
            FROM v_publishes
            WHERE run_id = {run_id:String} AND resumed > toDateTime64(0, 6, 'UTC')
            GROUP BY topic, partition
        ) AS m ON m.topic = v.topic AND m.partition = v.partition
        WHERE v.run_id = {run_id:String}
        GROUP BY topic, partition
    )
SELECT
    topic,
    subscription,
    ifNull(dateDiff('microsecond', built_from, resumed) / 1e6, 0) AS build_s,
    toUInt64(greatest(0, toInt64(acked) - toInt64(received_before))) AS backlog,
    if(received_due + uncommitted >= acked, dateDiff('microsecond', resumed, last_of_backlog) / 1e6, NULL) AS drain_s,
    if(drain_s > 0, received_meanwhile / drain_s, NULL) AS drained_per_s,
    if(last_slow < load_ended - toIntervalSecond(1), greatest(0, dateDiff('microsecond', resumed, last_slow) / 1e6),
        NULL) AS sub_second_after_s,
    ifNull(endings, '') AS verdict
FROM
(
    SELECT
        r.topic AS topic,
        r.subscription AS subscription,
        countIf(is_due AND r.receive_time < resumed) AS received_before,
        countIf(if(ifNull(unanswered, 0), r.intended_time < resumed, r.offset <= a.mark) AS is_due) AS received_due,
        any(e.last) AS last_of_backlog,
        countIf(r.receive_time >= resumed AND r.receive_time <= e.last) AS received_meanwhile,
        maxIf(r.receive_time, r.receive_time >= resumed AND r.end_to_end_us >= 1000000) AS last_slow
    FROM v_deliveries AS r
    INNER JOIN acked_by_partition AS a ON a.topic = r.topic AND a.partition = r.partition
    INNER JOIN
    (
        SELECT r.topic AS topic, r.subscription AS subscription,
            maxIf(r.receive_time, if(ifNull(unanswered, 0), r.intended_time < resumed, r.offset <= a.mark)) AS last
        FROM v_deliveries AS r
        INNER JOIN acked_by_partition AS a ON a.topic = r.topic AND a.partition = r.partition
        WHERE r.run_id = {run_id:String}
        GROUP BY topic, subscription
    ) AS e ON e.topic = r.topic AND e.subscription = r.subscription
    WHERE r.run_id = {run_id:String}
    GROUP BY topic, subscription
) AS d
INNER JOIN (SELECT topic, sum(messages) AS acked FROM acked_by_partition GROUP BY topic) AS p USING (topic)
LEFT JOIN
(
    SELECT JSONExtractString(detail, 'topic') AS topic, sum(JSONExtractUInt(detail, 'messages')) AS uncommitted
    FROM v_run_events
    WHERE run_id = {run_id:String} AND kind = 'transaction'
    GROUP BY topic
) AS t USING (topic)
ORDER BY topic, subscription
