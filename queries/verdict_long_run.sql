-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_long_run
-- purpose: Whether a broker's drive became permanently slow in a long run, and the end-to-end latency rose after it.
-- param runs String: run ids with commas between them, of long runs
-- param least_ratio Float64 = 1.5 in 1..: least ratio of the levels after and before that counts as a rise
-- param least_t Float64 = 5 in 0..: least ratio of a rise to its standard error, so that noise does not count as a rise
-- param least_h Float64 = 12 in 0..: least length of a run, h, that can show that nothing happens: the published drives
--     took that long
-- returns system String, claim String, verdict String, authors String, reason String, run_id String, hours Float64,
--     device String, drive_rose_h Nullable(Float64), drive_ratio Nullable(Float64), latency_rose_h Nullable(Float64),
--     latency_ratio Nullable(Float64), lag_s Nullable(Float64)
-- One row per run; times in h after its load began, lag_s from the drive's rise to the latency's.
-- For p99 end to end and each drive's mean write latency, in about 240 points of 5 s or more, it finds the most likely
-- moment of one rise (least squares of the logarithm), after the most likely fall if that explains more.
-- A rise is permanent if the median after it is least_ratio times the one before, the last tenth is still above that,
-- and noise does not cause such a step. The drive that rose most counts. ratio is 1 if nothing rises at all.
-- long: the step search runs on arrays in six stages, each a WITH of the one before.
WITH
    asked AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS id),
    spans AS
    (
        SELECT *, toInt64(floor(toUnixTimestamp64Micro(load_from) / 1e6)) AS first_s,
            greatest(0, toInt64(toUnixTimestamp64Micro(load_to) / 1e6) - first_s) AS span_s,
                greatest(5, intDiv(span_s, 240)) AS point_s
        FROM v_experiment_spans(runs = {runs:String})
    ),
    points AS
    (
        SELECT a.run_id AS run_id, '' AS series, intDiv(toInt64(toUnixTimestamp(l.time)) - a.first_s,
            a.point_s) AS point,
            log(greatest(1, quantileExactWeighted(0.99)(l.value_us, l.events))) AS level
        FROM v_latency_1s AS l
        INNER JOIN spans AS a ON a.run_id = l.run_id
        WHERE l.run_id IN (SELECT id FROM asked) AND l.stage = 'end_to_end' AND l.time >= a.load_from
            AND l.time < a.load_to
        GROUP BY run_id, point
        UNION ALL
        SELECT a.run_id AS run_id, concat(m.host, ' ', m.device) AS series,
            intDiv(toInt64(toUnixTimestamp64Milli(m.time) / 1000) - a.first_s, a.point_s) AS point,
            log((argMaxIf(m.value, m.time, m.metric LIKE '%time%') - argMinIf(m.value, m.time, m.metric LIKE '%time%'))
                / (argMaxIf(m.value, m.time, m.metric NOT LIKE '%time%')
                    - argMinIf(m.value, m.time, m.metric NOT LIKE '%time%'))) AS level
        FROM v_host_metrics AS m
        INNER JOIN spans AS a ON a.run_id = m.run_id
        INNER JOIN v_broker_drives AS b ON b.run_id = m.run_id AND b.host = m.host AND b.device = m.device
        WHERE m.run_id IN (SELECT id FROM asked) AND m.time >= a.load_from AND m.time < a.load_to
            AND m.metric IN ('node_disk_write_time_seconds_total', 'node_disk_writes_completed_total')
        GROUP BY run_id, series, point
        HAVING isFinite(level)
    ),
    -- Each series as two arrays, in order.
    lines AS
    (
        SELECT run_id, series, line.1 AS places, line.2 AS levels
        FROM (SELECT run_id, series, arraySort(groupArray((point, level))) AS line FROM points GROUP BY run_id, series
            HAVING length(line) >= 10)
    ),
    -- A fall that explains most is a cold start or an improvement over hours. Points before it are skipped.
    settled AS
    (
        SELECT run_id, series, length(levels) AS n, arrayCumSum(levels) AS sums, sums[n] / n AS mean,
            arrayMap(k -> if(least(k, n - k) < 0.05 * n, 0, pow(sums[k] - k * mean, 2) * n / k / (n - k)),
                range(1, n)) AS gains,
            indexOf(gains, arrayMax(gains)) AS cut, if(sums[cut] > cut * mean, cut, 0) AS skipped,
            arraySlice(places, skipped + 1) AS places_left, arraySlice(levels, skipped + 1) AS left
        FROM lines
    ),
    steps AS
    (
        SELECT run_id, series, places_left AS places, left AS levels, length(levels) AS n, arrayCumSum(levels) AS sums,
            sums[n] / n AS mean,
            arrayMap(k -> if(least(k, n - k) < 0.05 * n OR sums[k] >= k * mean, 0,
                pow(sums[k] - k * mean, 2) * n / k / (n - k)), range(1, n)) AS gains,
            arrayMax(gains) AS gain, indexOf(gains, gain) AS cut,
            arraySum(level -> pow(level - mean, 2), levels) - gain AS rest
        FROM settled
        WHERE length(left) >= 5
    ),
    moves AS
    (
        SELECT run_id, series, places[cut + 1] AS step,
            exp(arrayReduce('quantileExact(0.5)', arraySlice(levels, 1, cut))) AS before,
            exp(arrayReduce('quantileExact(0.5)', arraySlice(levels, cut + 1))) / before AS change,
            if(gain > 0, change, 1) AS ratio,
            ratio >= {least_ratio:Float64} AND gain * (n - 2) >= pow({least_t:Float64}, 2) * rest
                AND exp(arrayReduce('quantileExact(0.5)', arraySlice(levels, toInt64(floor(0.9 * n))
                    + 1))) >= {least_ratio:Float64} * before AS rose
        FROM steps
    ),
    judged AS
    (
        SELECT a.run_id AS run_id, any(a.system) AS system, any(a.unsound) AS unsound, any(p.span_s) / 3600 AS hours,
            any(p.point_s) AS each_s,
            argMaxIf(m.series, (m.rose, m.ratio), m.series != '') AS drive,
            argMaxOrNullIf(m.ratio, (m.rose, m.ratio), m.series != '') AS drive_by,
            argMaxOrNullIf(m.rose, (m.rose, m.ratio), m.series != '') = 1 AS drive_rose,
            argMaxOrNullIf(m.step * p.point_s, (m.rose, m.ratio), m.series != '') AS drive_s,
            maxOrNullIf(m.ratio, m.series = '' AND m.run_id != '') AS latency_by,
            maxIf(m.rose, m.series = '' AND m.run_id != '') = 1 AS latency_rose,
            maxOrNullIf(m.step * p.point_s, m.series = '' AND m.run_id != '') AS latency_s
        FROM v_experiment_runs(runs = {runs:String}) AS a
        LEFT JOIN spans AS p ON p.run_id = a.run_id
        LEFT JOIN moves AS m ON m.run_id = a.run_id
        GROUP BY run_id
    )
SELECT
    system,
    'a drive grows slow under constant load, and p99 rises after it' AS claim,
    multiIf(
        unsound != '' OR drive_by IS NULL OR latency_by IS NULL, 'cannot tell',
        drive_rose = 1 AND latency_rose = 1 AND lag_s >= -2 * each_s, 'holds',
        drive_rose = 1 OR latency_rose = 1 OR hours >= {least_h:Float64}, 'does not hold',
        'cannot tell') AS verdict,
    if(system = 'redpanda', 'holds', 'does not hold') AS authors,
    ifNull(multiIf(
        unsound != '', unsound,
        latency_by IS NULL, 'it has no latencies',
        drive_by IS NULL, 'nothing was measured of the drives under the brokers\' logs',
        drive_rose = 1 AND latency_rose = 1, concat('writes of ', drive, ' came to take ',
            toString(round(assumeNotNull(drive_by), 2)), ' times as long, and p99 rose ',
            toString(round(assumeNotNull(latency_by), 2)), ' times ',
                if(lag_s = 0, 'with it', concat(toString(round(abs(assumeNotNull(lag_s)))),
                if(lag_s < 0, ' s before it', ' s after it')))),
        drive_rose = 1, concat('writes of ', drive, ' came to take ', toString(round(assumeNotNull(drive_by), 2)),
            ' times as long, and p99 kept its level'),
        latency_rose = 1, concat('p99 rose ', toString(round(assumeNotNull(latency_by), 2)),
            ' times, and no drive grew slow'),
        concat('neither a drive nor p99 left its level in ', toString(round(hours, 2)), ' h')), '') AS reason,
    run_id,
    hours,
    drive AS device,
    if(drive_rose = 1, drive_s / 3600, NULL) AS drive_rose_h,
    drive_by AS drive_ratio,
    if(latency_rose = 1, latency_s / 3600, NULL) AS latency_rose_h,
    latency_by AS latency_ratio,
    if(drive_rose = 1 AND latency_rose = 1, toFloat64(latency_s - drive_s), NULL) AS lag_s
FROM judged
ORDER BY system, run_id
