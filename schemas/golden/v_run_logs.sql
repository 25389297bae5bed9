CREATE VIEW default.v_run_logs
AS SELECT
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
    FROM default.v_run_events
    WHERE (run_id = {run_id:String}) AND (kind = 'log')
)
ARRAY JOIN
    starts AS start_offset,
    ends AS end_offset,
    arrayEnumerate(ends) AS number
GROUP BY
    topic,
    number;
