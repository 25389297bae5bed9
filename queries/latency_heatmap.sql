-- SPDX-License-Identifier: Apache-2.0
-- name: latency_heatmap
-- purpose: Messages by the time of their intended send and by latency, whole run, for a heatmap; from the rollup.
-- param run_id String: run to read
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param step_s UInt32 = 1 in 1..86400: width of a cell in s
-- param per_doubling UInt8 = 8 in 1..16: cells from a latency to twice that latency
-- returns time DateTime('UTC'), low_us Float64, high_us Float64, events UInt64
-- Cells without messages are left out. Latencies of 0 and below share one cell, whose ends are both 0.
SELECT
    toDateTime(intDiv(toUnixTimestamp(time), {step_s:UInt32}) * {step_s:UInt32}, 'UTC') AS time,
    if(cell = -1, 0, exp2(cell / {per_doubling:UInt8})) AS low_us,
    if(cell = -1, 0, exp2((cell + 1) / {per_doubling:UInt8})) AS high_us,
    sum(messages) AS events
FROM
(
    SELECT
        time,
        if(value_us <= 0, -1, toInt32(floor(log2(value_us) * {per_doubling:UInt8} + 1e-9))) AS cell,
        events AS messages
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND stage = {stage:String}
)
GROUP BY time, cell
ORDER BY time, cell
