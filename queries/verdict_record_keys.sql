-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_record_keys
-- purpose: Whether the offered rate is reached with record keys, and with how many producers.
-- param runs String: run ids with commas between them, of messages with keys
-- param least_share Float64 = 0.98 in 0..1: least share of the offered rate that counts as reached
-- returns system String, claim String, verdict String, authors String, reason String, offered_per_s Float64,
--     partitions UInt64, tried Array(UInt64), producers_needed Nullable(UInt64), best_per_s Nullable(Float64),
--     best_share Nullable(Float64), best_p99_ms Nullable(Float64)
-- One row per system, offered rate and number of partitions.
-- Runs that may not be judged are left out and counted (runs_left_out names them); if the others do not reach the rate,
-- the verdict is cannot tell.
-- authors: what was published about that rate and number of partitions, or about those that a small form represents (a
-- fiftieth and a quarter of them); else not reported.
-- p99 is end to end.
WITH grid AS
(
    SELECT
        system,
        offered_per_s AS offered,
        offered_per_s * any(message_bytes) / 1024 AS kib_per_s,
        partitions,
        arraySort(groupUniqArray(producers)) AS tried,
        minOrNullIf(producers, unsound = '' AND acked_per_s >= {least_share:Float64} * offered_per_s) AS needed,
        maxOrNullIf(acked_per_s, unsound = '') AS best,
        argMaxOrNullIf(if(p99_ms > 0, p99_ms, NULL), acked_per_s, unsound = '') AS p99,
        countIf(unsound != '') AS lost,
        count() AS made,
        arrayStringConcat(arraySort(groupUniqArrayIf(extract(unsound, '^[^:]+'), unsound != '')), ', ') AS why
    FROM v_experiment_runs(runs = {runs:String})
    WHERE JSONExtractString(plan, 'behaviour', 'keys') != 'none'
    GROUP BY system, offered, partitions
)
SELECT
    system,
    concat(toString(round(offered)), ' messages/s with keys are reached in ', toString(partitions),
        ' partitions') AS claim,
    multiIf(needed IS NOT NULL, 'holds', lost > 0 OR best IS NULL, 'cannot tell', 'does not hold') AS verdict,
    multiIf(
        (kib_per_s, partitions) IN ((1024000, 288), (20480, 72)), 'does not hold',
        (kib_per_s, partitions) IN ((512000, 288), (10240, 72)), if(system = 'kafka', 'holds', 'does not hold'),
        (kib_per_s, partitions) IN ((512000, 100), (10240, 25)), 'holds',
        'not reported') AS authors,
    concat(
        if(needed IS NOT NULL, concat('reached with ', toString(assumeNotNull(needed)),
            if(needed = 1, ' producer', ' producers')),
            if(best IS NULL, 'no run may be judged', concat('at best ',
                toString(round(100 * assumeNotNull(best) / offered, 1)), ' % of it'))),
        if(lost = 0, '', concat('; ', toString(lost), ' of ', toString(made), ' runs left out: ', why))) AS reason,
    offered AS offered_per_s,
    partitions,
    tried,
    needed AS producers_needed,
    best AS best_per_s,
    best / offered AS best_share,
    p99 AS best_p99_ms
FROM grid
ORDER BY system, offered DESC, partitions DESC
