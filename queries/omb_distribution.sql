-- SPDX-License-Identifier: Apache-2.0
-- name: omb_distribution
-- purpose: How many messages of the measure phase had which latency, per stage, from the rollup (within 0.4 %), with
--     their mean.
-- param run_id String: run to read
-- returns stage LowCardinality(String), value_us Int64, events UInt64, upto UInt64, total UInt64, mean_us Float64
-- Only seconds that lie wholly within the measure phase count. upto: messages at this latency or below.
WITH
    (SELECT first_s FROM v_measure_phase(run_id = {run_id:String})) AS first_s,
    (SELECT end_s FROM v_measure_phase(run_id = {run_id:String})) AS end_s
SELECT
    stage,
    value_us,
    messages AS events,
    sum(messages) OVER (PARTITION BY stage ORDER BY value_us) AS upto,
    sum(messages) OVER (PARTITION BY stage) AS total,
    sum(value_us * toInt64(messages)) OVER (PARTITION BY stage) / total AS mean_us
FROM
(
    SELECT stage, value_us, sum(events) AS messages
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND toUnixTimestamp(time) >= first_s AND toUnixTimestamp(time) < end_s
    GROUP BY stage, value_us
)
ORDER BY stage, value_us
