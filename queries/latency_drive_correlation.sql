-- SPDX-License-Identifier: Apache-2.0
-- name: latency_drive_correlation
-- purpose: Pearson correlation of per-second end-to-end p99 with each drive metric at lags -10 to +10 s; a positive lag means the drive moved first.
-- param run_id String: run to read
-- returns host LowCardinality(String), device LowCardinality(String), metric String, lag_s Int16, r Nullable(Float64), points UInt64
-- Seconds that start in the measure phase count. r is NULL under 3 points or where one side never changed.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT end_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end,
    drive AS
    (
        -- The average, because two samples may fall into one second.
        SELECT host, device, time - 1 AS second, entry.1 AS metric, avg(entry.2) AS value
        FROM v_drive_1s
        ARRAY JOIN
        [
            ('write_latency_ms', write_latency_ms),
            ('queue_depth', queue_depth),
            ('utilisation', utilisation),
            ('flushes_per_s', flushes_per_s),
            ('flush_latency_ms', flush_latency_ms),
            ('written_bytes_per_s', written_bytes_per_s)
        ] AS entry
        WHERE run_id = {run_id:String}
            AND (host, device) IN (SELECT host, device FROM v_broker_drives WHERE run_id = {run_id:String})
        GROUP BY host, device, second, metric
    )
SELECT
    host,
    device,
    metric,
    lag_s,
    if(points < 3 OR NOT isFinite(pearson), NULL, pearson) AS r,
    points
FROM
(
    SELECT
        d.host AS host,
        d.device AS device,
        d.metric AS metric,
        d.lag_s AS lag_s,
        corrStable(d.value, l.p99_us) AS pearson,
        countIf(d.value IS NOT NULL AND l.p99_us IS NOT NULL) AS points
    FROM (SELECT *, arrayJoin(range(-10, 11)) AS lag_s FROM drive) AS d
    LEFT JOIN
    (
        SELECT time, toNullable(values_us[arrayFirstIndex(n -> n >= ceil(0.99 * events), upto)]) AS p99_us
        FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'end_to_end')
        WHERE time >= measure_start AND time < measure_end
    ) AS l ON l.time = d.second + d.lag_s
    GROUP BY host, device, metric, lag_s
)
ORDER BY host, device, metric, lag_s
