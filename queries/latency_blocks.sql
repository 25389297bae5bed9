-- SPDX-License-Identifier: Apache-2.0
-- name: latency_blocks
-- purpose: Latency histogram of each block of seconds of the measure phase, which tailrace compare draws from; from the
--     rollup (within 0.4 %), in µs.
-- param run_id String: run to read
-- param stage String = all in publish|publish_delay|publish_service|end_to_end|all: latency to read
-- param block_s UInt32 = 10 in 1..86400: seconds that make one block, s
-- returns stage LowCardinality(String), block Int64, value_us Int64, events UInt64
-- Blocks count from 0 at the first whole second. Seconds left over at the end belong to the last block, so all blocks
-- together are what latency_percentiles_rollup reads. A block without an intended send has no row.
WITH
    (SELECT min(start_time) FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT min(end_time) FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    toInt64(ceil(toUnixTimestamp64Micro(measure_start) / 1e6)) AS first_s,
    greatest(1, intDiv(toInt64(floor(toUnixTimestamp64Micro(measure_end) / 1e6)) - first_s, {block_s:UInt32})) AS blocks
SELECT
    stage,
    toInt64(assumeNotNull(least(intDiv(toInt64(toUnixTimestamp(time)) - first_s, {block_s:UInt32}), blocks
        - 1))) AS block,
    value_us,
    sum(messages) AS events
FROM
(
    SELECT stage, time, value_us, events AS messages
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND ({stage:String} = 'all' OR stage = {stage:String})
        AND time >= measure_start AND time < measure_end
)
GROUP BY stage, block, value_us
ORDER BY stage, block, value_us
