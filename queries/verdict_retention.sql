-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_retention
-- purpose: Whether the end-to-end latency stepped up when a broker first deleted segments at its retention limit.
-- param runs String: run ids with commas between them, of runs that reach the retention limit under load
-- param window_s UInt32 = 60 in 10..86400: seconds before the first deletion, and twice that after it, that are compared
-- param least_ratio Float64 = 1.25 in 1..: from how many times the latency before on it is a step
-- param within_s UInt32 = 60 in 0..86400: how long after the first deletion the step may come, s
-- returns system String, claim String, verdict String, authors String, reason String, run_id String, broker String, reached_time Nullable(DateTime('UTC')), before_ms Nullable(Float64), after_ms Nullable(Float64), step_ms Nullable(Float64), step_after_s Nullable(Int64)
-- A row per run. The limit is reached when a partition's log start offset first moves, on the broker named. Of the p99 per second around that, the most
-- likely moment of one change of level is taken (least squares of the logarithm); before_ms and after_ms are the medians on both its sides.
WITH
    asked AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS id),
    spans AS (SELECT * FROM v_experiment_spans(runs = {runs:String})),
    reached AS
    (
        SELECT run_id, min(moved) AS at, argMin(broker, moved) AS who
        FROM
        (
            SELECT m.run_id AS run_id, m.labels['broker'] AS broker, m.labels['topic'] AS topic, m.labels['partition'] AS partition,
                arraySort(groupArray((m.time, m.value))) AS samples,
                arrayFirst(sample -> sample.2 > samples[1].2, samples) AS first_moved,
                toDateTime(first_moved.1, 'UTC') AS moved
            FROM v_host_metrics AS m
            INNER JOIN spans AS a ON a.run_id = m.run_id
            WHERE m.run_id IN (SELECT id FROM asked) AND m.metric = 'kafka_log_start_offset' AND NOT startsWith(m.labels['topic'], '__')
                AND m.time >= a.warm_from AND m.time < a.load_to
            GROUP BY run_id, broker, topic, partition
            HAVING first_moved.2 > 0
        )
        GROUP BY run_id
    ),
    points AS
    (
        SELECT l.run_id AS run_id, toInt64(toUnixTimestamp(l.time)) - toInt64(toUnixTimestamp(any(r.at))) AS second,
            log(greatest(1, quantileExactWeighted(0.99)(l.value_us, l.events))) AS level
        FROM v_latency_1s AS l
        INNER JOIN spans AS a ON a.run_id = l.run_id
        INNER JOIN reached AS r ON r.run_id = l.run_id
        WHERE l.run_id IN (SELECT id FROM asked) AND l.stage = 'end_to_end' AND l.time >= a.warm_from AND l.time < a.load_to
            AND l.time >= r.at - {window_s:UInt32} AND l.time < r.at + 2 * {window_s:UInt32}
        GROUP BY run_id, l.time
    ),
    splits AS
    (
        SELECT run_id, second, row_number() OVER w - 1 AS n1, count() OVER (PARTITION BY run_id) AS n,
            sum(level) OVER w - level AS s1, sum(level) OVER (PARTITION BY run_id) AS s,
            if(n1 = 0, 0, pow(s1 / n1 - (s - s1) / (n - n1), 2) * n1 * (n - n1) / n) AS gain
        FROM points
        WINDOW w AS (PARTITION BY run_id ORDER BY second ROWS UNBOUNDED PRECEDING)
    ),
    steps AS
    (
        SELECT run_id, argMaxIf(second, gain, n1 >= 5 AND n - n1 >= 5) AS step, min(second) AS first, max(second) AS last
        FROM splits
        GROUP BY run_id
    ),
    sides AS
    (
        SELECT p.run_id AS run_id, any(s.step) AS step, any(s.first) AS first, any(s.last) AS last,
            exp(quantileExactIf(0.5)(p.level, p.second < s.step)) / 1000 AS before,
            exp(quantileExactIf(0.5)(p.level, p.second >= s.step)) / 1000 AS after
        FROM points AS p
        INNER JOIN steps AS s ON s.run_id = p.run_id
        GROUP BY run_id
    )
SELECT
    system,
    'the latency steps up when the retention limit is reached' AS claim,
    multiIf(
        unsound != '' OR reached_time IS NULL OR NOT enough, 'cannot tell',
        after_ms >= {least_ratio:Float64} * before_ms AND step_after_s BETWEEN -5 AND {within_s:UInt32}, 'holds',
        'does not hold') AS verdict,
    if(system = 'redpanda', 'holds', 'does not hold') AS authors,
    ifNull(multiIf(
        unsound != '', unsound,
        reached_time IS NULL, 'no segment was deleted under load',
        NOT enough, 'too little of the load lies before or after the first deletion',
        after_ms < {least_ratio:Float64} * before_ms, concat('p99 kept its level: ', toString(round(assumeNotNull(before_ms), 2)), ' ms, then ', toString(round(assumeNotNull(after_ms), 2)), ' ms'),
        step_after_s BETWEEN -5 AND {within_s:UInt32}, concat('p99 rose by ', toString(round(assumeNotNull(step_ms), 1)), ' ms ', toString(assumeNotNull(step_after_s)), ' s after the first deletion'),
        concat('p99 rose, but ', toString(assumeNotNull(step_after_s)), ' s after the first deletion')), '') AS reason,
    run_id,
    broker,
    reached_time,
    before_ms,
    after_ms,
    after_ms - before_ms AS step_ms,
    step_after_s
FROM
(
    SELECT a.system AS system, a.run_id AS run_id, a.unsound AS unsound, r.who AS broker,
        if(r.run_id = '', NULL, r.at) AS reached_time,
        if(d.run_id = '', NULL, d.before) AS before_ms,
        if(d.run_id = '', NULL, d.after) AS after_ms,
        if(d.run_id = '', NULL, d.step) AS step_after_s,
        d.run_id != '' AND d.first <= -0.3 * {window_s:UInt32} AND d.last >= 0.3 * {window_s:UInt32} AS enough
    FROM v_experiment_runs(runs = {runs:String}) AS a
    LEFT JOIN reached AS r ON r.run_id = a.run_id
    LEFT JOIN sides AS d ON d.run_id = a.run_id
)
ORDER BY system, run_id
