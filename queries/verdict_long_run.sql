-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_long_run
-- purpose: Whether a broker's drive grew slow for good over a long run, and the end-to-end latency rose after it.
-- param runs String: run ids with commas between them, of long runs
-- param least_ratio Float64 = 1.5 in 1..: from how many times the level before on it is a rise
-- param least_h Float64 = 12 in 0..: a run that is shorter, h, cannot show that nothing happens: the published drives took that long
-- returns system String, claim String, verdict String, authors String, reason String, run_id String, hours Float64, device String, drive_rose_h Nullable(Float64), drive_ratio Nullable(Float64), latency_rose_h Nullable(Float64), latency_ratio Nullable(Float64), lag_s Nullable(Float64)
-- A row per run; times in h after its load began, lag_s from the drive's rise to the latency's. Of p99 end to end and of each drive's mean write latency,
-- in about 240 points of 5 s or more, the most likely moment of one change of level is taken (least squares of the logarithm). It is a rise when the
-- median after is least_ratio times the one before and the last tenth of the run is still above that; the drive that rose most counts.
WITH
    asked AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS id),
    spans AS
    (
        SELECT *, toInt64(floor(toUnixTimestamp64Micro(load_from) / 1e6)) AS first_s,
            greatest(0, toInt64(toUnixTimestamp64Micro(load_to) / 1e6) - first_s) AS span_s, greatest(5, intDiv(span_s, 240)) AS point_s
        FROM v_experiment_spans(runs = {runs:String})
    ),
    points AS
    (
        SELECT a.run_id AS run_id, '' AS series, intDiv(toInt64(toUnixTimestamp(l.time)) - a.first_s, a.point_s) AS point,
            log(greatest(1, quantileExactWeighted(0.99)(l.value_us, l.events))) AS level
        FROM v_latency_1s AS l
        INNER JOIN spans AS a ON a.run_id = l.run_id
        WHERE l.run_id IN (SELECT id FROM asked) AND l.stage = 'end_to_end' AND l.time >= a.load_from AND l.time < a.load_to
        GROUP BY run_id, point
        UNION ALL
        SELECT a.run_id AS run_id, concat(m.host, ' ', m.device) AS series, intDiv(toInt64(toUnixTimestamp64Milli(m.time) / 1000) - a.first_s, a.point_s) AS point,
            log((argMaxIf(m.value, m.time, m.metric LIKE '%time%') - argMinIf(m.value, m.time, m.metric LIKE '%time%'))
                / (argMaxIf(m.value, m.time, m.metric NOT LIKE '%time%') - argMinIf(m.value, m.time, m.metric NOT LIKE '%time%'))) AS level
        FROM v_host_metrics AS m
        INNER JOIN spans AS a ON a.run_id = m.run_id
        INNER JOIN v_broker_drives AS b ON b.run_id = m.run_id AND b.host = m.host AND b.device = m.device
        WHERE m.run_id IN (SELECT id FROM asked) AND m.time >= a.load_from AND m.time < a.load_to
            AND m.metric IN ('node_disk_write_time_seconds_total', 'node_disk_writes_completed_total')
        GROUP BY run_id, series, point
        HAVING isFinite(level)
    ),
    splits AS
    (
        SELECT run_id, series, point, row_number() OVER w - 1 AS n1, count() OVER all_of AS n, sum(level) OVER w - level AS s1, sum(level) OVER all_of AS s,
            if(n1 = 0, 0, pow(s1 / n1 - (s - s1) / (n - n1), 2) * n1 * (n - n1) / n) AS gain
        FROM points
        WINDOW w AS (PARTITION BY run_id, series ORDER BY point ROWS UNBOUNDED PRECEDING), all_of AS (PARTITION BY run_id, series)
    ),
    steps AS
    (
        SELECT run_id, series, argMaxIf(point, gain, n1 >= 0.05 * n AND n - n1 >= 0.05 * n) AS step, max(point) AS last
        FROM splits
        GROUP BY run_id, series
    ),
    moves AS
    (
        SELECT p.run_id AS run_id, p.series AS series, any(s.step) AS step, exp(quantileExactIf(0.5)(p.level, p.point < s.step)) AS before,
            exp(quantileExactIf(0.5)(p.level, p.point >= s.step)) / before AS ratio,
            ratio >= {least_ratio:Float64} AND exp(quantileExactIf(0.5)(p.level, p.point >= 0.9 * s.last)) >= {least_ratio:Float64} * before AS rose
        FROM points AS p
        INNER JOIN steps AS s ON s.run_id = p.run_id AND s.series = p.series
        GROUP BY run_id, series
    ),
    judged AS
    (
        SELECT a.run_id AS run_id, any(a.system) AS system, any(a.unsound) AS unsound, any(p.span_s) / 3600 AS hours, any(p.point_s) AS each_s,
            argMaxIf(m.series, m.ratio, m.series != '') AS drive,
            maxOrNullIf(m.ratio, m.series != '') AS drive_by,
            argMaxOrNullIf(m.rose, m.ratio, m.series != '') = 1 AS drive_rose,
            argMaxOrNullIf(m.step * p.point_s, m.ratio, m.series != '') AS drive_s,
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
        drive_rose = 1 AND latency_rose = 1, concat('p99 rose ', toString(round(assumeNotNull(latency_by), 2)), ' times ', toString(round(abs(assumeNotNull(lag_s)))), ' s ',
            if(lag_s < 0, 'before', 'after'), ' ', drive, ' grew slow ', toString(round(assumeNotNull(drive_by), 2)), ' times'),
        drive_rose = 1, concat(drive, ' grew slow ', toString(round(assumeNotNull(drive_by), 2)), ' times, and p99 kept its level'),
        latency_rose = 1, concat('p99 rose ', toString(round(assumeNotNull(latency_by), 2)), ' times, and no drive grew slow'),
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
