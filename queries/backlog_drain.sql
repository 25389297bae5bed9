-- SPDX-License-Identifier: Apache-2.0
-- name: backlog_drain
-- purpose: How each consumer group drained the backlog: size, time and rate, and when its end-to-end latency was back below a second.
-- param run_id String: run to read
-- returns topic LowCardinality(String), subscription UInt16, build_s Float64, backlog UInt64, drain_s Nullable(Float64), drained_per_s Nullable(Float64), sub_second_after_s Nullable(Float64), verdict String
-- backlog: messages due before consumers resumed, acknowledged and not received by then. drain_s: from then until the
-- last of them was received; NULL when one never was. drained_per_s: messages received meanwhile, those of the load
-- that went on included. sub_second_after_s: from the resumption until the last message that took a second or more;
-- NULL when such messages still came in the last second of load. verdict: of the load generator, from run_events.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'backlog_build') AS built_from,
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'backlog_drain') AS resumed,
    (
        SELECT min(start_time) FROM v_phases
        WHERE run_id = {run_id:String} AND phase IN ('drain', 'end') AND start_time > resumed
    ) AS load_ended,
    (
        SELECT arrayStringConcat(groupUniqArray(toString(name)), ', ') FROM v_run_events
        WHERE run_id = {run_id:String} AND kind = 'phase_end' AND name IN ('backlog_drained', 'not_backlog_drained')
    ) AS told
SELECT
    topic,
    subscription,
    ifNull(dateDiff('microsecond', built_from, resumed) / 1e6, 0) AS build_s,
    toUInt64(greatest(0, toInt64(acked) - toInt64(received_before))) AS backlog,
    if(received_due >= acked, dateDiff('microsecond', resumed, last_of_backlog) / 1e6, NULL) AS drain_s,
    if(drain_s > 0, received_meanwhile / drain_s, NULL) AS drained_per_s,
    if(last_slow < load_ended - toIntervalSecond(1), greatest(0, dateDiff('microsecond', resumed, last_slow) / 1e6), NULL) AS sub_second_after_s,
    ifNull(told, '') AS verdict
FROM
(
    SELECT topic, subscription,
        countIf(intended_time < resumed AND receive_time < resumed) AS received_before,
        countIf(intended_time < resumed) AS received_due,
        maxIf(receive_time, receive_time >= resumed AND end_to_end_us >= 1000000) AS last_slow,
        countIf(receive_time >= resumed AND receive_time <= ends.last) AS received_meanwhile,
        any(ends.last) AS last_of_backlog
    FROM v_deliveries AS d
    INNER JOIN
    (
        SELECT topic, subscription, maxIf(receive_time, intended_time < resumed) AS last
        FROM v_deliveries
        WHERE run_id = {run_id:String}
        GROUP BY topic, subscription
    ) AS ends USING (topic, subscription)
    WHERE run_id = {run_id:String}
    GROUP BY topic, subscription
) AS d
INNER JOIN
(
    SELECT topic, countIf(intended_time < resumed) AS acked
    FROM v_publishes
    WHERE run_id = {run_id:String}
    GROUP BY topic
) AS p USING (topic)
WHERE resumed > toDateTime64(0, 6, 'UTC')
ORDER BY topic, subscription
