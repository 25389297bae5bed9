-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_drive_limit
-- purpose: Whether a broker wrote as fast as its drive can, over runs of rising rate.
-- param runs String: run ids with commas between them, of rising rate
-- param least_share Float64 = 0.9 in 0..1: share of the drive's own limit from which it counts as reached
-- returns system String, claim String, verdict String, authors String, reason String, limit_mb_per_s Float64,
--     best_written_mb_per_s Nullable(Float64), share Nullable(Float64), best_mb_per_s Nullable(Float64),
--     offered_mb_per_s Nullable(Float64), kept_up UInt64, rates UInt64
-- One row per system. The limit was measured on the drive itself before the runs (manifest, experiment).
-- best_written_mb_per_s: the most that the busiest drive under a broker's log wrote in a measure phase.
-- best_mb_per_s: the highest acknowledged rate. offered_mb_per_s: the highest offered rate.
-- kept_up: number of rates of which 98 % were acknowledged.
-- Runs that may not be judged are left out and counted; runs_left_out names them.
WITH
    asked AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS id),
    spans AS (SELECT * FROM v_experiment_spans(runs = {runs:String})),
    drives AS
    (
        SELECT run_id, max(mb_per_s) AS written
        FROM
        (
            SELECT m.run_id AS run_id, m.host AS host, m.device AS device,
                1e-6 * (argMax(m.value, m.time) - argMin(m.value, m.time))
                    / (dateDiff('millisecond', min(m.time), max(m.time)) / 1000) AS mb_per_s
            FROM v_host_metrics AS m
            INNER JOIN spans AS a ON a.run_id = m.run_id
            INNER JOIN v_broker_drives AS b ON b.run_id = m.run_id AND b.host = m.host AND b.device = m.device
            WHERE m.run_id IN (SELECT id FROM asked) AND m.metric = 'node_disk_written_bytes_total'
                AND m.time >= a.measure_from AND m.time < a.measure_to
            GROUP BY run_id, host, device
            HAVING max(m.time) > min(m.time)
        )
        GROUP BY run_id
    ),
    best AS
    (
        SELECT
            a.system AS system,
            max(a.drive_limit_mb_per_s) AS limit,
            maxOrNullIf(d.written, a.unsound = '' AND d.run_id != '') AS written_most,
            maxOrNullIf(1e-6 * a.acked_per_s * a.message_bytes, a.unsound = '') AS acked_most,
            maxOrNull(1e-6 * a.offered_per_s * a.message_bytes) AS offered_most,
            countIf(a.acked_per_s >= 0.98 * a.offered_per_s) AS kept_up,
            countIf(a.unsound = '' AND a.acked_per_s < 0.98 * a.offered_per_s) AS fell_behind,
            count() AS rates,
            countIf(a.unsound != '') AS lost,
            arrayStringConcat(arraySort(groupUniqArrayIf(extract(a.unsound, '^[^:]+'), a.unsound != '')), ', ') AS why
        FROM v_experiment_runs(runs = {runs:String}) AS a
        LEFT JOIN drives AS d ON d.run_id = a.run_id
        GROUP BY system
    )
SELECT
    system,
    'the highest rate reached is the drive\'s own limit' AS claim,
    multiIf(
        limit = 0 OR written_most IS NULL, 'cannot tell',
        written_most >= {least_share:Float64} * limit, 'holds',
        fell_behind > 0, 'does not hold',
        'cannot tell') AS verdict,
    if(system = 'kafka', 'holds', 'does not hold') AS authors,
    concat(
        multiIf(
            limit = 0, 'the drive\'s own limit was not measured',
            written_most IS NULL, 'no run may be judged, or its drive was not measured',
            concat('wrote ', toString(round(assumeNotNull(written_most), 1)), ' of ', toString(round(limit, 1)),
                ' MB/s, and acknowledged up to ', toString(round(ifNull(acked_most, 0), 1)), ' MB/s',
                if(share < {least_share:Float64} AND fell_behind = 0,
                    '; no rate was too high, so the limit was not tested', ''))),
        if(lost = 0, '', concat('; ', toString(lost), ' of ', toString(rates), ' runs left out: ', why))) AS reason,
    limit AS limit_mb_per_s,
    written_most AS best_written_mb_per_s,
    if(limit > 0, written_most / limit, NULL) AS share,
    acked_most AS best_mb_per_s,
    offered_most AS offered_mb_per_s,
    kept_up,
    rates
FROM best
ORDER BY system
