-- SPDX-License-Identifier: Apache-2.0
-- name: audit_log_lost
-- purpose: Messages acknowledged or received in one partition whose offsets are outside its log after the run.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param run_start Int64 = 0: offset at which the log ended before the first message
-- param log_start Int64 = 0: offset at which it began after the run
-- param log_end Int64 = 9223372036854775807: offset at which it ended after the run
-- param first UInt32 = 5 in 1..: how many offsets of each kind to list
-- returns kind String, offsets UInt64, first_offsets Array(Int64), newest_time DateTime64(6, 'UTC'), kept_bytes UInt64
-- after_end: at or behind the end of the log. before_start: before its start; others were there before the run.
-- newest_time: the latest actual send of them. kept_bytes: an upper bound of the bytes of the log's own messages of
-- this run, as retention.bytes counts them: the values and 200 bytes more of each.
SELECT
    place AS kind,
    uniqExact(offset) AS offsets,
    arraySlice(arraySort(groupUniqArray(offset)), 1, {first:UInt32}) AS first_offsets,
    max(send_time) AS newest_time,
    toUInt64(ifNull((
        SELECT sum(payload_bytes + 200)
        FROM v_publishes
        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
            AND offset >= {log_start:Int64}
    ), 0)) AS kept_bytes
FROM
(
    SELECT offset, intended_time + toIntervalMicrosecond(publish_delay_us) AS send_time
    FROM v_publishes
    WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
    UNION ALL
    SELECT offset, intended_time AS send_time
    FROM v_deliveries
    WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
)
ARRAY JOIN [if(offset >= {log_end:Int64}, 'after_end', if(offset < {log_start:Int64} AND offset >= {run_start:Int64},
    'before_start', ''))] AS place
WHERE place != ''
GROUP BY place
ORDER BY place
