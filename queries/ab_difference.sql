-- SPDX-License-Identifier: Apache-2.0
-- name: ab_difference
-- purpose: Latency percentiles of a run's measure phase against those of a baseline run, with a bootstrap confidence
--     interval; from the rollup.
-- param run_id String: run to compare
-- param baseline String: run to compare it with
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param block_s UInt32 = 5 in 1..86400: seconds that are drawn together, s; choose them longer than an episode lasts
-- param draws UInt32 = 400 in 1..10000: number of bootstrap draws
-- param seed UInt64 = 42: random seed; the same seed gives the same draws
-- returns percentile Float64, baseline_us Int64, run_us Int64, difference_us Int64, low_us Float64, high_us Float64,
--     difference_percent Float64, distinct UInt8, blocks UInt64
-- The latencies of one second depend on each other, so the bootstrap draws blocks of seconds, not messages: each block
-- counts k times in a draw, k Poisson with mean 1.
-- low and high bound the middle 95 % of the draws' differences; distinct: 0 is outside.
-- With few blocks, or few messages above a percentile, trust repeats of the run instead.
-- Long runs have longer blocks, at most 200 a run.
-- long: the bootstrap of two runs is one statement, so that no histogram leaves the engine.
WITH
    arrayMap(k -> if(k = 0, exp(-1), exp(-1) / tgamma(k + 1)), range(8)) AS poisson,
    arrayCumSum(poisson) AS poisson_sums,
    [50, 90, 95, 99, 99.9, 99.99] AS percentiles,
    (SELECT (min(start_time), max(end_time)) FROM v_measure_phase(run_id = {run_id:String})) AS run_span,
    (SELECT (min(start_time), max(end_time)) FROM v_measure_phase(run_id = {baseline:String})) AS baseline_span,
    greatest({block_s:UInt32}, intDiv(dateDiff('second', run_span.1, run_span.2), 200) + 1) AS run_length,
    greatest({block_s:UInt32}, intDiv(dateDiff('second', baseline_span.1, baseline_span.2), 200)
        + 1) AS baseline_length,
    -- Buckets in order, and their latencies: a block's counts are an array indexed by bucket, and arrays add up fast.
    (
        SELECT (arraySort(groupArray(place)), arraySort(groupArray(us)))
        FROM
        (
            SELECT bucket AS place, any(value_us) AS us
            FROM v_latency_1s
            WHERE run_id IN ({run_id:String}, {baseline:String}) AND stage = {stage:String}
            GROUP BY place
        )
    ) AS cells,
    arrayMap(b -> (cells.2)[indexOf(cells.1, b)], range(toInt32(cells.1[1]), cells.1[-1] + 1)) AS values_us
SELECT
    percentiles[level] AS percentile,
    toInt64(maxIf(baseline_level, draw = 0)) AS baseline_us,
    toInt64(maxIf(run_level, draw = 0)) AS run_us,
    run_us - baseline_us AS difference_us,
    quantileExactInclusiveIf(0.025)(run_level - baseline_level, draw > 0) AS low_us,
    quantileExactInclusiveIf(0.975)(run_level - baseline_level, draw > 0) AS high_us,
    100 * difference_us / baseline_us AS difference_percent,
    low_us > 0 OR high_us < 0 AS distinct,
    sumIf(drawn, draw = 0) AS blocks
FROM
(
    SELECT draw, sum(times_drawn) AS drawn, arrayJoin(arrayEnumerate(percentiles)) AS level,
        anyIf(levels, NOT is_baseline)[level] AS run_level, anyIf(levels, is_baseline)[level] AS baseline_level
    FROM
    (
        SELECT
            draw,
            is_baseline,
            count() AS times_drawn,
            arrayCumSum(sumForEach(arrayMap(n -> n * times, counts))) AS upto,
            arrayMap(p -> values_us[arrayFirstIndex(n -> n >= ceil(p * upto[-1]), upto)],
                [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]) AS levels
        FROM
        (
            SELECT is_baseline, block, counts, draw,
                if(draw = 0, 1, arrayCount(s -> s <= cityHash64({seed:UInt64}, draw, is_baseline, block) / exp2(64),
                    poisson_sums)) AS times
            FROM
            (
                SELECT is_baseline, block, groupArrayInsertAt(0)(n, place) AS counts
                FROM
                (
                    SELECT false AS is_baseline, intDiv(toUnixTimestamp(l.time) - toUnixTimestamp(run_span.1),
                        run_length) AS block,
                        toUInt32(l.bucket - cells.1[1]) AS place, sum(l.events) AS n
                    FROM v_latency_1s AS l
                    WHERE run_id = {run_id:String} AND l.stage = {stage:String} AND l.time >= run_span.1
                        AND l.time < run_span.2
                    GROUP BY block, place
                    UNION ALL
                    SELECT true AS is_baseline, intDiv(toUnixTimestamp(l.time) - toUnixTimestamp(baseline_span.1),
                        baseline_length) AS block,
                        toUInt32(l.bucket - cells.1[1]) AS place, sum(l.events) AS n
                    FROM v_latency_1s AS l
                    WHERE run_id = {baseline:String} AND l.stage = {stage:String} AND l.time >= baseline_span.1
                        AND l.time < baseline_span.2
                    GROUP BY block, place
                )
                GROUP BY is_baseline, block
            )
            ARRAY JOIN range({draws:UInt32} + 1) AS draw
            WHERE times > 0
        )
        GROUP BY draw, is_baseline
    )
    GROUP BY draw
)
GROUP BY level
ORDER BY level
