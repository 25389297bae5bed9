-- SPDX-License-Identifier: Apache-2.0
-- name: drive_against_first_hour
-- purpose: Write and flush latency of each drive per interval of a window, beside their values in the first hour of the
--     run.
-- param run_id String: run to read
-- param device String = all: one drive, or all
-- param point_s UInt32 = 60 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), host LowCardinality(String), device LowCardinality(String),
--     write_latency_ms Nullable(Float64), flush_latency_ms Nullable(Float64), first_hour_write_ms Nullable(Float64),
--     first_hour_flush_ms Nullable(Float64), write_ratio Nullable(Float64), flush_ratio Nullable(Float64)
-- Means over requests, not over seconds. The first hour is that of the measure phase, or its length if shorter.
WITH
    (SELECT min(start_time) FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    sums AS
    (
        SELECT
            v.time AS second,
            toString(v.host) AS host,
            toString(v.device) AS device,
            v.writes_per_s * v.seconds AS writes,
            v.write_latency_ms * writes AS write_ms,
            v.flushes_per_s * v.seconds AS flushes,
            v.flush_latency_ms * flushes AS flush_ms
        FROM v_drive_1s AS v
        WHERE run_id = {run_id:String} AND ({device:String} = 'all' OR v.device = {device:String})
    )
SELECT
    p.time AS time,
    p.host AS host,
    p.device AS device,
    p.write_ms AS write_latency_ms,
    p.flush_ms AS flush_latency_ms,
    f.write_ms AS first_hour_write_ms,
    f.flush_ms AS first_hour_flush_ms,
    write_latency_ms / first_hour_write_ms AS write_ratio,
    flush_latency_ms / first_hour_flush_ms AS flush_ratio
FROM
(
    SELECT toDateTime(intDiv(toUnixTimestamp(second), {point_s:UInt32}) * {point_s:UInt32}, 'UTC') AS time, host,
        device,
        if(sum(s.writes) > 0, sum(s.write_ms) / sum(s.writes), NULL) AS write_ms,
        if(sum(s.flushes) > 0, sum(s.flush_ms) / sum(s.flushes), NULL) AS flush_ms
    FROM sums AS s
    WHERE second BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
    GROUP BY time, host, device
) AS p
LEFT JOIN
(
    SELECT host, device,
        if(sum(s.writes) > 0, sum(s.write_ms) / sum(s.writes), NULL) AS write_ms,
        if(sum(s.flushes) > 0, sum(s.flush_ms) / sum(s.flushes), NULL) AS flush_ms
    FROM sums AS s
    WHERE second > measure_start AND second <= measure_start + 3600
    GROUP BY host, device
) AS f ON f.host = p.host AND f.device = p.device
ORDER BY time, host, device
