-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_fsync
-- purpose: Whether a flush per batch (flush.messages=1) costs latency or throughput against the broker's default.
-- param runs String: run ids with commas between them: some with flush.messages=1, some without
-- param least_ratio Float64 = 1.5 in 1..: least ratio of the p99 that counts as a cost
-- param least_runs UInt64 = 3 in 1..: least number of judged runs of each kind; with fewer it cannot tell
-- returns system String, claim String, verdict String, authors String, reason String, flushed_p99_ms Nullable(Float64),
--     default_p99_ms Nullable(Float64), p99_ratio Nullable(Float64), flushed_per_s Nullable(Float64),
--     default_per_s Nullable(Float64)
-- One row per system. authors: what the published audit states about that system. Latency is end to end; several runs
-- of a kind are averaged.
-- Runs that may not be judged are left out and counted; runs_left_out names them. A run without timely messages has no
-- p99.
WITH compared AS
(
    SELECT
        system,
        avgOrNullIf(p99, flushed AND unsound = '') AS on_ms,
        avgOrNullIf(p99, NOT flushed AND unsound = '') AS off_ms,
        avgOrNullIf(acked_per_s, flushed AND unsound = '') AS on_per_s,
        avgOrNullIf(acked_per_s, NOT flushed AND unsound = '') AS off_per_s,
        on_ms / off_ms AS ratio,
        countIf(flushed AND unsound = '') AS on_runs,
        countIf(NOT flushed AND unsound = '') AS off_runs,
        countIf(unsound != '') AS lost,
        count() AS made,
        arrayStringConcat(arraySort(groupUniqArrayIf(extract(unsound, '^[^:]+'), unsound != '')), ', ') AS why
    FROM
    (
        SELECT *, if(p99_ms > 0, p99_ms, NULL) AS p99, JSONExtractString(plan, 'topic_config',
            'flush.messages') = '1' AS flushed
        FROM v_experiment_runs(runs = {runs:String})
    )
    GROUP BY system
)
SELECT
    system,
    'a flush per batch costs latency or throughput' AS claim,
    multiIf(
        least(on_runs, off_runs) < {least_runs:UInt64}, 'cannot tell',
        ratio >= {least_ratio:Float64} OR on_per_s < 0.95 * off_per_s, 'holds',
        ratio IS NULL, 'cannot tell',
        'does not hold') AS verdict,
    if(system = 'kafka', 'holds', 'not reported') AS authors,
    concat(
        multiIf(
            on_per_s IS NULL OR off_per_s IS NULL, concat('it takes a run with flush.messages=1 and one without',
                if(lost = 0, '', ' that may be judged')),
            concat(if(ratio IS NULL, 'no message of the measured time arrived',
                concat('p99 ', toString(round(assumeNotNull(on_ms), 1)), ' ms against ',
                toString(round(assumeNotNull(off_ms), 1)), ' ms')),
                ', ', toString(round(assumeNotNull(on_per_s))), ' messages/s against ',
                    toString(round(assumeNotNull(off_per_s))))),
        if(least(on_runs, off_runs) >= {least_runs:UInt64} OR on_per_s IS NULL OR off_per_s IS NULL, '',
            concat('; a verdict takes ', toString({least_runs:UInt64}),
                ' runs of each kind that may be judged, there are ', toString(on_runs), ' and ', toString(off_runs))),
        if(lost = 0, '', concat('; ', toString(lost), ' of ', toString(made), ' runs left out: ', why))) AS reason,
    on_ms AS flushed_p99_ms,
    off_ms AS default_p99_ms,
    ratio AS p99_ratio,
    on_per_s AS flushed_per_s,
    off_per_s AS default_per_s
FROM compared
ORDER BY system
