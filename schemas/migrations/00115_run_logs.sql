-- SPDX-License-Identifier: Apache-2.0
-- What the brokers stated of the logs of a run's topics, and what a re-read of them found: the audit compares both with
-- the messages.

-- +goose Up
-- v_run_logs(run_id = …): each partition. begun, ended: whether its offsets were recorded before the first message and
-- after the last one; without that, the offsets are 0. first_offset: the log's end before the first message of any
-- worker. log_start, log_end: after the last message, and after a re-read. settings: what may remove messages, as text.
CREATE OR REPLACE VIEW v_run_logs AS
SELECT
    topic,
    toInt32(number - 1) AS partition,
    countIf(name = 'start') > 0 AS begun,
    countIf(name = 'end') > 0 AS ended,
    minIf(end_offset, name = 'start') AS first_offset,
    argMaxIf(start_offset, time, name = 'end') AS log_start,
    argMaxIf(end_offset, time, name = 'end') AS log_end,
    maxIf(time, name = 'end') AS end_time,
    argMax(settings, (length(settings), time)) AS settings
FROM
(
    SELECT
        time,
        toString(name) AS name,
        JSONExtractString(detail, 'topic') AS topic,
        JSONExtract(detail, 'settings', 'Map(String, String)') AS settings,
        JSONExtract(detail, 'starts', 'Array(Int64)') AS starts,
        JSONExtract(detail, 'ends', 'Array(Int64)') AS ends
    FROM v_run_events
    WHERE run_id = {run_id:String} AND kind = 'log'
)
ARRAY JOIN starts AS start_offset, ends AS end_offset, arrayEnumerate(ends) AS number
GROUP BY topic, number;

-- v_run_rereads(run_id = …): each range of offsets that was read again, from first_offset up to before end_offset.
-- read: messages of the load generator in it. gaps: offsets without a message, first and last. hash: of all messages
-- read, as in the query audit_reread.
CREATE OR REPLACE VIEW v_run_rereads AS
SELECT
    JSONExtractString(detail, 'topic') AS topic,
    toInt32(JSONExtractInt(detail, 'partition')) AS partition,
    JSONExtractInt(detail, 'first') AS first_offset,
    JSONExtractInt(detail, 'end') AS end_offset,
    JSONExtractUInt(detail, 'read') AS read,
    JSONExtractUInt(detail, 'foreign') AS foreign,
    toUInt64OrZero(JSONExtractString(detail, 'hash')) AS hash,
    JSONExtract(detail, 'gaps', 'Array(Tuple(Int64, Int64))') AS gaps,
    JSONExtract(detail, 'corrupt', 'Array(Int64)') AS corrupt
FROM v_run_events
WHERE run_id = {run_id:String} AND kind = 'reread' AND name = 'range';
