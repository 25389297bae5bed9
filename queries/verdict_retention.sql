-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_retention
-- purpose: Whether the end-to-end latency stepped up when a broker first deleted segments at its retention limit.
-- param runs String: run ids with commas between them, of runs that reach the retention limit under load
-- param window_s UInt32 = 60 in 10..86400: seconds before the first deletion, and twice that after it, that are
--     compared
-- param least_ratio Float64 = 1.25 in 1..: least ratio of the latencies after and before that counts as a step
-- param most_fall Float64 = 2 in 1..: ratio of the latency before to the one after from which the two cannot be
--     compared
-- param least_t Float64 = 5 in 0..: least ratio of a step to its standard error, so that noise does not count as a step
-- param within_s UInt32 = 60 in 0..86400: how long after the first deletion the step may come, s
-- returns system String, claim String, verdict String, authors String, reason String, run_id String, broker String,
--     reached_time Nullable(DateTime('UTC')), before_ms Nullable(Float64), after_ms Nullable(Float64),
--     step_ms Nullable(Float64), step_after_s Nullable(Int64)
-- One row per run. The limit is reached when a partition's log start offset first moves, on the broker named.
-- In p99 per second around that moment it finds the most likely moment of one rise (least squares of the logarithm);
-- before_ms and after_ms are the medians on both sides.
-- The verdict is cannot tell if p99 varies so much that the rise may be chance, or falls to half or less (clients and
-- brokers that have just started).
-- long: the step search runs on arrays in five stages, each a WITH of the one before.
WITH
    asked AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS id),
    spans AS (SELECT * FROM v_experiment_spans(runs = {runs:String})),
    reached AS
    (
        SELECT run_id, min(moved) AS at, argMin(broker, moved) AS who
        FROM
        (
            SELECT m.run_id AS run_id, m.labels['broker'] AS broker, m.labels['topic'] AS topic,
                m.labels['partition'] AS partition,
                arraySort(groupArray((m.time, m.value))) AS samples,
                arrayFirst(sample -> sample.2 > samples[1].2, samples) AS first_moved,
                toDateTime(first_moved.1, 'UTC') AS moved
            FROM v_host_metrics AS m
            INNER JOIN spans AS a ON a.run_id = m.run_id
            WHERE m.run_id IN (SELECT id FROM asked) AND m.metric = 'kafka_log_start_offset'
                AND NOT startsWith(m.labels['topic'], '__')
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
        WHERE l.run_id IN (SELECT id FROM asked) AND l.stage = 'end_to_end' AND l.time >= a.warm_from
            AND l.time < a.load_to
            AND l.time >= r.at - {window_s:UInt32} AND l.time < r.at + 2 * {window_s:UInt32}
        GROUP BY run_id, l.time
    ),
    -- Each run as two arrays, in order.
    lines AS
    (
        SELECT run_id, line.1 AS places, line.2 AS levels
        FROM (SELECT run_id, arraySort(groupArray((second, level))) AS line FROM points GROUP BY run_id
            HAVING length(line) >= 12)
    ),
    -- A fall that explains most, long before the deletion, is a cold start. Points before it are skipped.
    settled AS
    (
        SELECT run_id, length(levels) AS n, arrayCumSum(levels) AS sums, sums[n] / n AS mean,
            arrayMap(k -> if(least(k, n - k) < 5, 0, pow(sums[k] - k * mean, 2) * n / k / (n - k)),
                range(1, n)) AS gains,
            indexOf(gains, arrayMax(gains)) AS cut,
            if(sums[cut] > cut * mean AND places[cut + 1] <= -0.3 * {window_s:UInt32}, cut, 0) AS skipped,
            arraySlice(places, skipped + 1) AS places_left, arraySlice(levels, skipped + 1) AS left
        FROM lines
    ),
    steps AS
    (
        SELECT run_id, places_left AS places, left AS levels, length(levels) AS n, arrayCumSum(levels) AS sums,
            sums[n] / n AS mean,
            arrayMap(k -> if(least(k, n - k) < 5 OR sums[k] >= k * mean, 0,
                pow(sums[k] - k * mean, 2) * n / k / (n - k)), range(1, n)) AS gains,
            arraySum(level -> pow(level - mean, 2), levels) AS spread, arrayMax(gains) AS most,
            most * (n - 2) >= pow({least_t:Float64}, 2) * (spread - most) AS sure,
            -- Without a rise that stands out: the most likely one within within_s, else the deletion itself.
            arrayMap((k, gain) -> if(places[k + 1] BETWEEN -5 AND {within_s:UInt32}, gain, 0), range(1, n),
                gains) AS near,
            multiIf(sure, indexOf(gains, most), arrayMax(near) > 0, indexOf(near, arrayMax(near)),
                greatest(1, arrayCount(place -> place < 0, places))) AS cut
        FROM settled
    ),
    sides AS
    (
        SELECT run_id, places[cut + 1] AS step, places[1] AS first, places[n] AS last, sure,
            exp(arrayReduce('quantileExact(0.5)', arraySlice(levels, 1, cut))) / 1000 AS before,
            exp(arrayReduce('quantileExact(0.5)', arraySlice(levels, cut + 1))) / 1000 AS after
        FROM steps
    )
SELECT
    system,
    'the latency steps up when the retention limit is reached' AS claim,
    multiIf(
        unsound != '' OR reached_time IS NULL OR NOT enough OR before_ms >= {most_fall:Float64} * after_ms
            OR (after_ms >= {least_ratio:Float64} * before_ms AND NOT sure), 'cannot tell',
        after_ms >= {least_ratio:Float64} * before_ms AND step_after_s BETWEEN -5 AND {within_s:UInt32}, 'holds',
        'does not hold') AS verdict,
    if(system = 'redpanda', 'holds', 'does not hold') AS authors,
    ifNull(multiIf(
        unsound != '', unsound,
        reached_time IS NULL, 'no segment was deleted under load',
        NOT enough, 'too little of the load lies before or after the first deletion',
        before_ms >= {most_fall:Float64} * after_ms, concat('p99 was coming down, from ',
            toString(round(assumeNotNull(before_ms), 1)), ' ms to ', toString(round(assumeNotNull(after_ms), 1)),
            ' ms, and a step may hide in that'),
        after_ms < {least_ratio:Float64} * before_ms, concat('p99 did not rise: ',
            toString(round(assumeNotNull(before_ms), 2)), ' ms before, then ',
            toString(round(assumeNotNull(after_ms), 2)), ' ms'),
        NOT sure, concat('p99 rose by ', toString(round(assumeNotNull(step_ms), 1)), ' ms ',
            toString(assumeNotNull(step_after_s)),
            ' s after the first deletion, and varies so much that it may be chance'),
        step_after_s BETWEEN -5 AND {within_s:UInt32}, concat('p99 rose by ',
            toString(round(assumeNotNull(step_ms), 1)), ' ms ', toString(assumeNotNull(step_after_s)),
            ' s after the first deletion'),
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
        d.sure AS sure,
        d.run_id != '' AND d.first <= -0.3 * {window_s:UInt32} AND d.last >= 0.3 * {window_s:UInt32} AS enough
    FROM v_experiment_runs(runs = {runs:String}) AS a
    LEFT JOIN reached AS r ON r.run_id = a.run_id
    LEFT JOIN sides AS d ON d.run_id = a.run_id
)
ORDER BY system, run_id
