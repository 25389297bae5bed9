-- SPDX-License-Identifier: Apache-2.0
-- name: stages
-- purpose: Where messages spent their time, stage by stage: all messages of a window, or the slowest of each second.
-- param run_id String: run to read
-- param side String = publish in publish|delivery: publish latency, or end-to-end latency
-- param band UInt8 = 0 in 0..2: 0 all messages, 1 the slowest 10 % of each second, 2 the slowest 1 %
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns stage String, messages UInt64, mean_us Float64, p50_us Int64, p99_us Int64, share Float64
-- From the rollup, which tailrace computes at a run's end (tailrace stages RUN computes what is missing). Means and
-- shares are exact: the means add up to that of the stage latency. Percentiles are within 1.6 %; messages that were
-- 0 µs in a stage count, messages counts the others.
WITH
    times AS
    (
        SELECT stage, value_us, sum(messages) AS counted, sum(us) AS spent
        FROM v_stages_1s(run_id = {run_id:String})
        WHERE side = {side:String} AND by = 'run' AND band >= {band:UInt8}
            AND time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
        GROUP BY stage, value_us
    ),
    (SELECT (sum(counted), sum(spent)) FROM times WHERE stage = 'latency') AS whole,
    (SELECT arrayConcat(['latency'], names) FROM v_stage_names) AS names
SELECT CAST(t.stage, 'String') AS stage, sum(t.counted) AS messages, assumeNotNull(sum(t.spent) / whole.1) AS mean_us,
    quantileExactWeighted(0.5)(t.value_us, t.weight) AS p50_us,
    quantileExactWeighted(0.99)(t.value_us, t.weight) AS p99_us,
    assumeNotNull(sum(t.spent) / whole.2) AS share
FROM
(
    SELECT stage, value_us, counted, counted AS weight, spent FROM times
    UNION ALL
    SELECT stage, toInt64(0) AS value_us, toUInt64(0) AS counted,
        toUInt64(assumeNotNull(whole.1) - sum(times.counted)) AS weight,
        toInt64(0) AS spent
    FROM times
    GROUP BY stage
) AS t
GROUP BY stage
ORDER BY indexOf(names, stage)
