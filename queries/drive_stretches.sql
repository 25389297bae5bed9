-- SPDX-License-Identifier: Apache-2.0
-- name: drive_stretches
-- purpose: Latencies, load and flushes of each drive under a broker's log in each interval, as the report draws
--     them.
-- param run_id String: run to read
-- param step_s UInt32 = 1 in 1..86400: length of an interval, s
-- returns time DateTime('UTC'), host String, device String, write_latency_ms Nullable(Float64),
--     queue_depth Nullable(Float64), utilisation Nullable(Float64), flushes_per_s Nullable(Float64),
--     flush_latency_ms Nullable(Float64), written_bytes_per_s Nullable(Float64)
-- Latencies, queue and utilisation are those of the interval's worst second, rates are means. If the manifest names no
-- drive there is no row. NULL: nothing of the kind happened, or no sample exists. A drive sample of time t covers the
-- second before t.
SELECT
    toDateTime(intDiv(toUnixTimestamp(d.time) - 1, {step_s:UInt32}) * {step_s:UInt32}, 'UTC') AS time,
    b.host AS host,
    b.device AS device,
    max(d.write_latency_ms) AS write_latency_ms,
    max(d.queue_depth) AS queue_depth,
    max(d.utilisation) AS utilisation,
    avg(d.flushes_per_s) AS flushes_per_s,
    max(d.flush_latency_ms) AS flush_latency_ms,
    avg(d.written_bytes_per_s) AS written_bytes_per_s
FROM
(
    SELECT DISTINCT toString(host) AS host, toString(device) AS device
    FROM v_broker_drives
    WHERE run_id = {run_id:String}
) AS b
INNER JOIN (SELECT * FROM v_drive_1s WHERE run_id = {run_id:String}) AS d ON toString(d.host) = b.host
    AND toString(d.device) = b.device
GROUP BY time, host, device
ORDER BY host, device, time
