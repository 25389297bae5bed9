-- SPDX-License-Identifier: Apache-2.0
-- name: latency_drive_correlation
-- purpose: Pearson correlation of per-second end-to-end p99 with each drive metric at lags -10 to +10 s; a positive lag
--     means that the drive changed first.
-- param run_id String: run to read
-- returns host LowCardinality(String), device LowCardinality(String), metric String, lag_s Int16, r Nullable(Float64),
--     points UInt64
-- Seconds that start in the measure phase count. r is NULL under 3 points or if one side never changed.
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    drive AS
    (
        -- The average, because two samples may fall into one second.
        SELECT
            host,
            device,
            time - 1 AS second,
            avg(write_latency_ms) AS write_latency,
            avg(queue_depth) AS queue,
            avg(utilisation) AS busy,
            avg(flushes_per_s) AS flushes,
            avg(flush_latency_ms) AS flush_latency,
            avg(written_bytes_per_s) AS written
        FROM v_drive_1s
        WHERE run_id = {run_id:String}
            AND (host, device) IN (SELECT host, device FROM v_broker_drives WHERE run_id = {run_id:String})
        GROUP BY host, device, second
    )
SELECT
    host,
    device,
    found.1 AS metric,
    lag_s,
    if(found.3 < 3 OR NOT isFinite(found.2), NULL, found.2) AS r,
    found.3 AS points
FROM
(
    SELECT
        d.host AS host,
        d.device AS device,
        d.lag_s AS lag_s,
        [
            ('write_latency_ms', corrStable(d.write_latency, l.p99_us),
                countIf(d.write_latency IS NOT NULL AND l.p99_us IS NOT NULL)),
            ('queue_depth', corrStable(d.queue, l.p99_us), countIf(d.queue IS NOT NULL AND l.p99_us IS NOT NULL)),
            ('utilisation', corrStable(d.busy, l.p99_us), countIf(d.busy IS NOT NULL AND l.p99_us IS NOT NULL)),
            ('flushes_per_s', corrStable(d.flushes, l.p99_us), countIf(d.flushes IS NOT NULL AND l.p99_us IS NOT NULL)),
            ('flush_latency_ms', corrStable(d.flush_latency, l.p99_us),
                countIf(d.flush_latency IS NOT NULL AND l.p99_us IS NOT NULL)),
            ('written_bytes_per_s', corrStable(d.written, l.p99_us),
                countIf(d.written IS NOT NULL AND l.p99_us IS NOT NULL))
        ] AS found
    FROM (SELECT *, arrayJoin(range(-10, 11)) AS lag_s FROM drive) AS d
    LEFT JOIN
    (
        SELECT time, toNullable(values_us[arrayFirstIndex(n -> n >= ceil(0.99 * events), upto)]) AS p99_us
        FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'end_to_end')
        WHERE time >= measure_start AND time < measure_end
    ) AS l ON l.time = d.second + d.lag_s
    GROUP BY host, device, lag_s
)
ARRAY JOIN found
ORDER BY host, device, metric, lag_s
