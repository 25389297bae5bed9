-- SPDX-License-Identifier: Apache-2.0
-- name: broker_drive_per_second
-- purpose: What the drive under each broker's log did in each second of a window: latencies, queue, utilisation,
--     flushes, bytes.
-- param run_id String: run to read
-- param broker String = all: one broker's id, or all
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), broker String, host String, device String, write_latency_ms Nullable(Float64),
--     read_latency_ms Nullable(Float64), flush_latency_ms Nullable(Float64), flushes_per_s Nullable(Float64),
--     queue_depth Nullable(Float64), utilisation Nullable(Float64), written_bytes_per_s Nullable(Float64)
-- A sample of time t covers the second before t, and the row has that second's time.
-- Brokers that share a drive have the same values.
SELECT
    d.time - 1 AS time,
    toString(b.broker) AS broker,
    b.host AS host,
    b.device AS device,
    d.write_latency_ms AS write_latency_ms,
    d.read_latency_ms AS read_latency_ms,
    d.flush_latency_ms AS flush_latency_ms,
    d.flushes_per_s AS flushes_per_s,
    d.queue_depth AS queue_depth,
    d.utilisation AS utilisation,
    d.written_bytes_per_s AS written_bytes_per_s
FROM
(
    SELECT * FROM v_drive_1s AS v
    WHERE run_id = {run_id:String} AND v.time BETWEEN {from:DateTime('UTC')} + 1 AND {to:DateTime('UTC')} + 1
) AS d
INNER JOIN
(
    SELECT * FROM v_broker_drives AS v
    WHERE run_id = {run_id:String} AND device != '' AND ({broker:String} = 'all'
        OR toString(v.broker) = {broker:String})
) AS b ON b.host = d.host AND b.device = d.device
ORDER BY time, broker
