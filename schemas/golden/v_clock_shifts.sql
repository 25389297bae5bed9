CREATE VIEW default.v_clock_shifts
AS WITH
    clocks AS
    (
        SELECT
            worker,
            JSONExtractString(detail, 'host') AS host,
            avg(JSONExtractFloat(detail, 'offset_us')) AS offset_us
        FROM default.v_run_events
        WHERE (run_id = {run_id:String}) AND (kind = 'clock') AND (name IN ('measured_start', 'measured_end'))
        GROUP BY
            worker,
            host
    )
SELECT
    w.worker AS worker,
    toUInt32(b.broker) AS broker,
    toInt64(round(w.offset_us - h.host_offset_us)) AS shift_us
FROM clocks AS w
CROSS JOIN
(
    SELECT DISTINCT
        broker,
        host
    FROM default.v_broker_drives
    WHERE run_id = {run_id:String}
) AS b
INNER JOIN
(
    SELECT
        host,
        avg(offset_us) AS host_offset_us
    FROM clocks
    GROUP BY host
) AS h ON b.host = h.host
WHERE w.host != b.host;
