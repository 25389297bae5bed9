-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_backlog
-- purpose: Whether a backlog was drained while the load went on, in what time, and when the latency was below a second
--     again.
-- param runs String: run ids with commas between them, each of a run with a backlog
-- returns system String, claim String, verdict String, authors String, reason String, run_id String, groups UInt64,
--     offered_per_s Float64, build_s Float64, drain_s Nullable(Float64), sub_second_after_s Nullable(Float64)
-- One row per run. A backlog is drained if every worker's load generator recorded so (run_events); missing messages
-- that follow from an undrained backlog do not prevent a verdict.
-- drain_s: from the moment consumers resumed; NULL if the backlog was never drained.
-- sub_second_after_s: from that moment until the last second of load in which p99 end to end was a second or more.
-- long: the reason is one text per outcome.
WITH
    s -> if(s < 120, concat(toString(round(s, 1)), ' s'), concat(toString(round(s / 60, 1)), ' min')) AS span,
    asked AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS id),
    spans AS (SELECT * FROM v_experiment_spans(runs = {runs:String})),
    marks AS
    (
        SELECT run_id,
            minIf(start_time, phase = 'backlog_build') AS built,
            minIf(start_time, phase = 'backlog_drain') AS resumed,
            maxIf(end_time, phase = 'backlog_drain') AS drained
        FROM v_phases
        WHERE run_id IN (SELECT id FROM asked)
        GROUP BY run_id
    ),
    endings AS
    (
        SELECT run_id, countIf(name = 'backlog_drained') AS yes, countIf(name = 'not_backlog_drained') AS no
        FROM v_run_events
        WHERE run_id IN (SELECT id FROM asked) AND kind = 'phase_end'
        GROUP BY run_id
    ),
    slow AS
    (
        SELECT l.run_id AS run_id, maxIf(l.second, l.p99_us >= 1000000) AS last_slow, max(l.second) AS last_s
        FROM
        (
            SELECT run_id, time AS second, quantileExactWeighted(0.99)(value_us, events) AS p99_us
            FROM v_latency_1s
            WHERE run_id IN (SELECT id FROM asked) AND stage = 'end_to_end'
            GROUP BY run_id, second
        ) AS l
        INNER JOIN spans AS a ON a.run_id = l.run_id
        WHERE l.second < a.load_to
        GROUP BY run_id
    )
SELECT
    a.system AS system,
    'the backlog is drained while the load goes on' AS claim,
    multiIf(
        trouble != '' OR resumed = toDateTime64(0, 6, 'UTC') OR yes + no = 0, 'cannot tell',
        no = 0, 'holds',
        'does not hold') AS verdict,
    if(a.system = 'kafka', 'holds', 'does not hold') AS authors,
    ifNull(multiIf(
        trouble != '', trouble,
        resumed = toDateTime64(0, 6, 'UTC'), 'the run has no backlog',
        yes + no = 0, 'the load generator did not record how draining ended',
        no > 0, concat('not drained in ', span(seconds)),
        concat('drained in ', span(seconds), ', built in ', span(build_s),
            if(last_slow > 0 AND last_slow >= last_s, '; p99 did not come back below a second under load',
                concat('; p99 was below a second for good ', span(assumeNotNull(sub_second_after_s)),
                    ' after consumers resumed')))), '') AS reason,
    a.run_id AS run_id,
    JSONExtractUInt(a.plan, 'consumer_groups') AS groups,
    a.offered_per_s AS offered_per_s,
    if(resumed > built, dateDiff('microsecond', built, resumed) / 1e6, 0) AS build_s,
    if(yes > 0 AND no = 0, seconds, NULL) AS drain_s,
    if(resumed > toDateTime64(0, 6, 'UTC'), greatest(0, toUnixTimestamp(last_slow) + 1
        - toUnixTimestamp64Micro(resumed) / 1e6), NULL) AS sub_second_after_s
FROM
(
    SELECT r.run_id AS run_id, r.system AS system, r.plan AS plan,
        if(no > 0 AND r.failed_checks != [] AND hasAll(['missing', 'unsent', 'not_drained'], r.failed_checks), r.noise,
            r.unsound) AS trouble, r.offered_per_s AS offered_per_s,
        built, resumed, dateDiff('microsecond', resumed, drained) / 1e6 AS seconds, yes, no, last_slow, last_s
    FROM v_experiment_runs(runs = {runs:String}) AS r
    LEFT JOIN marks AS p ON p.run_id = r.run_id
    LEFT JOIN endings AS t ON t.run_id = r.run_id
    LEFT JOIN slow AS l ON l.run_id = r.run_id
) AS a
ORDER BY system, run_id
