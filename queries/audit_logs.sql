-- SPDX-License-Identifier: Apache-2.0
-- name: audit_logs
-- purpose: Per partition, the messages acknowledged and received beside the offsets at which the brokers state that
--     its log began and ended.
-- param run_id String: run to read
-- returns topic String, partition Int32, groups UInt64, existing UInt8, unanswered UInt8, transactions UInt8,
--     acked UInt64, most_bytes UInt64, failed UInt64, received UInt64, lowest Int64, highest Int64, begun UInt8,
--     ended UInt8, first_offset Int64, log_start Int64, log_end Int64, end_time DateTime64(6, 'UTC'),
--     settings Map(String, String)
-- groups: consumer groups that read the topic. acked: with acks=0 (unanswered), handed to the socket.
-- most_bytes: an upper bound of the bytes of those, as the broker counts them: the values and 200 more of each.
-- transactions: of the run, or of a program that copies messages to the topic: the log has their markers too.
-- failed: sends that failed; the row of partition -1 has those that no partition is known of.
-- received: by the subscription that received most. lowest, highest: of the offsets acknowledged or received; -1 if
-- none is known. begun, ended, first_offset, log_start, log_end: as in v_run_logs; 0 if they were not recorded.
WITH
    (SELECT (topics, topic_groups, existing) FROM v_run_plan(run_id = {run_id:String})) AS planned,
    (SELECT unanswered FROM v_run_plan(run_id = {run_id:String})) AS no_offsets,
    (
        SELECT any(JSONHas(manifest, 'plan', 'behaviour', 'transaction_messages'))
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS in_transactions,
    (
        SELECT arrayMap(each -> JSONExtractString(each, 'name'),
            arrayFilter(each -> JSONHas(each, 'copy_of'), planned_topics))
        FROM v_run_plan(run_id = {run_id:String})
    ) AS copies
SELECT
    topic,
    partition,
    toUInt64(arrayElement(planned.2, indexOf(planned.1, topic))) AS groups,
    toUInt8(arrayElement(planned.3, indexOf(planned.1, topic))) AS existing,
    toUInt8(ifNull(no_offsets, 0)) AS unanswered,
    toUInt8(ifNull(in_transactions, 0) OR has(copies, topic)) AS transactions,
    sumIf(messages, side = 'acked') AS acked,
    sum(bytes) AS most_bytes,
    sumIf(messages, side = 'failed') AS failed,
    maxIf(messages, side = 'received') AS received,
    if(countIf(low >= 0) = 0, toInt64(-1), minIf(low, low >= 0)) AS lowest,
    maxOrDefault(high) AS highest,
    toUInt8(max(has_begin)) AS begun,
    toUInt8(max(has_end)) AS ended,
    max(first_offset_of) AS first_offset,
    max(log_start_of) AS log_start,
    max(log_end_of) AS log_end,
    max(end_time_of) AS end_time,
    anyIf(settings_of, side = 'log') AS settings
FROM
(
    SELECT 'log' AS side, topic, partition, toUInt64(0) AS messages, toUInt64(0) AS bytes,
        toInt64(-1) AS low, toInt64(-1) AS high,
        begun AS has_begin, ended AS has_end, first_offset AS first_offset_of, log_start AS log_start_of,
        log_end AS log_end_of, end_time AS end_time_of, settings AS settings_of
    FROM v_run_logs(run_id = {run_id:String})
    UNION ALL
    SELECT 'acked' AS side, toString(topic) AS topic, partition, count() AS messages,
        sum(payload_bytes + 200) AS bytes, min(offset) AS low, max(offset) AS high, 0, 0, 0, 0, 0,
        toDateTime64(0, 6, 'UTC'), map()
    FROM v_publishes
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition
    UNION ALL
    SELECT 'failed' AS side, toString(topic) AS topic, partition, count() AS messages, 0 AS bytes,
        toInt64(-1) AS low, toInt64(-1) AS high, 0, 0, 0, 0, 0, toDateTime64(0, 6, 'UTC'), map()
    FROM v_publish_failures
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition
    UNION ALL
    SELECT 'received' AS side, toString(topic) AS topic, partition, count() AS messages, 0 AS bytes,
        min(offset) AS low, max(offset) AS high, 0, 0, 0, 0, 0, toDateTime64(0, 6, 'UTC'), map()
    FROM v_deliveries
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition, subscription
)
GROUP BY topic, partition
ORDER BY topic, partition
