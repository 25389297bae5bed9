CREATE VIEW default.v_request_mutes
AS SELECT
    connection,
    muted_from,
    muted_us,
    toInt64(sum(muted_us) OVER (PARTITION BY connection ORDER BY muted_from ASC)) AS muted_upto_us
FROM
(
    SELECT
        connection,
        correlation_id,
        min(((toUnixTimestamp64Micro(read_time) + toInt64(queue_us)) + local_us) + remote_us) AS muted_from,
        max(toInt64(throttle_ms)) * 1000 AS muted_us
    FROM default.v_broker_requests
    WHERE (run_id = {run_id:String}) AND (api = 'produce') AND (throttle_ms > 0)
    GROUP BY
        connection,
        correlation_id
);
