-- SPDX-License-Identifier: Apache-2.0
-- name: ab_difference
-- purpose: Latency percentiles of a run's measure phase against those of a baseline run, with a bootstrap confidence interval; from the rollup.
-- param run_id String: run to judge
-- param baseline String: run to compare it with
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param block_s UInt32 = 5 in 1..86400: seconds that are drawn together, s; longer than what happens in the system lasts
-- param draws UInt32 = 400 in 1..10000: how often the seconds are drawn anew
-- param seed UInt64 = 42: the same seed draws the same
-- returns percentile Float64, baseline_us Int64, run_us Int64, difference_us Int64, low_us Float64, high_us Float64, difference_percent Float64, distinct UInt8, blocks UInt64
-- Messages of one second share their fate, so blocks of seconds are drawn, not messages: each block counts k times in a draw, k Poisson
-- with mean 1. low and high hold the middle 95 % of the draws' differences; distinct says that 0 is outside. With few blocks, or few
-- messages above a percentile, trust repeats of the run instead. Long runs are drawn in longer blocks, at most 2,000 a run.
WITH
    arrayMap(k -> if(k = 0, exp(-1), exp(-1) / tgamma(k + 1)), range(8)) AS poisson,
    arrayCumSum(poisson) AS poisson_sums,
    [50, 90, 95, 99, 99.9, 99.99] AS percentiles,
    spans AS
    (
        -- A run compared with itself is on both sides.
        SELECT arrayJoin(arrayFilter(side -> run_id = if(side, {baseline:String}, {run_id:String}), [false, true])) AS is_baseline,
            toUnixTimestamp(start_time) AS first,
            greatest({block_s:UInt32}, intDiv(dateDiff('second', start_time, end_time), 2000) + 1) AS length, start_time, end_time
        FROM v_phases
        WHERE run_id IN ({run_id:String}, {baseline:String}) AND phase = 'measure'
    ),
    cells AS
    (
        SELECT is_baseline, block, us, sum(n) AS n
        FROM
        (
            SELECT s.is_baseline AS is_baseline, intDiv(toUnixTimestamp(l.time) - s.first, s.length) AS block, l.value_us AS us, l.events AS n
            FROM
            (
                SELECT arrayJoin(arrayFilter(side -> run_id = if(side, {baseline:String}, {run_id:String}), [false, true])) AS is_baseline,
                    time, value_us, events
                FROM v_latency_1s
                WHERE run_id IN ({run_id:String}, {baseline:String}) AND stage = {stage:String}
            ) AS l
            INNER JOIN spans AS s ON s.is_baseline = l.is_baseline
            WHERE l.time >= s.start_time AND l.time < s.end_time
        )
        GROUP BY is_baseline, block, us
    )
SELECT
    percentiles[level] AS percentile,
    toInt64(maxIf(baseline_level, draw = 0)) AS baseline_us,
    toInt64(maxIf(run_level, draw = 0)) AS run_us,
    run_us - baseline_us AS difference_us,
    quantileExactInclusiveIf(0.025)(run_level - baseline_level, draw > 0) AS low_us,
    quantileExactInclusiveIf(0.975)(run_level - baseline_level, draw > 0) AS high_us,
    100 * difference_us / baseline_us AS difference_percent,
    low_us > 0 OR high_us < 0 AS distinct,
    assumeNotNull((SELECT uniqExact(is_baseline, block) FROM cells)) AS blocks
FROM
(
    SELECT draw, arrayJoin(arrayEnumerate(run_levels)) AS level, run_levels[level] AS run_level, baseline_levels[level] AS baseline_level
    FROM
    (
        SELECT
            draw,
            quantilesExactWeightedIf(0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)(us, n * times, NOT is_baseline) AS run_levels,
            quantilesExactWeightedIf(0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)(us, n * times, is_baseline) AS baseline_levels
        FROM
        (
            SELECT c.us AS us, c.n AS n, c.is_baseline AS is_baseline, w.draw AS draw, w.times AS times
            FROM cells AS c
            INNER JOIN
            (
                SELECT is_baseline, block, arrayJoin(range({draws:UInt32} + 1)) AS draw,
                    if(draw = 0, 1, arrayCount(s -> s <= cityHash64({seed:UInt64}, draw, is_baseline, block) / exp2(64), poisson_sums)) AS times
                FROM (SELECT DISTINCT is_baseline, block FROM cells)
            ) AS w ON w.is_baseline = c.is_baseline AND w.block = c.block
            WHERE w.times > 0
        )
        GROUP BY draw
    )
)
GROUP BY level
ORDER BY level
