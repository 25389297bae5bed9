CREATE VIEW default.v_run_rereads
AS SELECT
    JSONExtractString(detail, 'topic') AS topic,
    toInt32(JSONExtractInt(detail, 'partition')) AS partition,
    JSONExtractInt(detail, 'first') AS first_offset,
    JSONExtractInt(detail, 'end') AS end_offset,
    JSONExtractUInt(detail, 'read') AS read,
    JSONExtractUInt(detail, 'foreign') AS foreign,
    toUInt64OrZero(JSONExtractString(detail, 'hash')) AS hash,
    JSONExtract(detail, 'gaps', 'Array(Tuple(Int64, Int64))') AS gaps,
    JSONExtract(detail, 'corrupt', 'Array(Int64)') AS corrupt
FROM default.v_run_events
WHERE (run_id = {run_id:String}) AND (kind = 'reread') AND (name = 'range');
