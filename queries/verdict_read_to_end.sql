-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_read_to_end
-- purpose: Reading a fixed volume to its end: what event size, partitions and threads do to the time, and how it compares with kcat.
-- param runs String: run ids with commas between them, as of read_to_end_grid
-- param least_effect Float64 = 0.05 in 0..: share by which a time must differ to count as better or worse
-- returns system String, claim String, verdict String, authors String, reason String, cases UInt64, least Nullable(Float64), median Nullable(Float64), most Nullable(Float64)
-- A row per conclusion. least, median and most are of its ratios: (1) seconds for 256 B over 1 KiB, each way to read; (2) threads over one thread, the fastest
-- threads below 1 KiB; (3) the same, all of them, from 1 KiB on; (4) sixteen partitions over one, below 1 KiB; (5) the same from 1 KiB on; (6) one thread
-- over kcat, of events from 1 KiB on; (7) the same of 256 B. Several runs of one place are averaged; runs that may not be judged are left out and named.
WITH
    asked AS (SELECT * FROM v_experiment_runs(runs = {runs:String})),
    known AS (SELECT run_id, JSONExtractRaw(manifest, 'experiment', 'baselines') AS baselines FROM v_runs WHERE run_id IN (SELECT arrayJoin(splitByChar(',', {runs:String})))),
    grid AS
    (
        SELECT
            a.system AS system,
            toUInt64OrZero(extract(CAST(r.topic, 'String'), '-(\\d+)k?-\\d+p$')) * if(match(CAST(r.topic, 'String'), 'k-\\d+p$'), 1024, 1) AS size,
            toUInt64OrZero(extract(CAST(r.topic, 'String'), '-(\\d+)p$')) AS parts,
            concat(JSONExtractString(a.plan, 'behaviour', 'consumer_threads'), toString(JSONExtractUInt(a.plan, 'behaviour', 'consumer_pool'))) AS threads,
            startsWith(threads, 'one') AS single,
            avg(dateDiff('microsecond', a.measure_from, r.last) / 1e6) AS seconds,
            avg(nullIf(JSONExtractFloat(k.baselines, 'kcat', CAST(r.topic, 'String')), 0)) AS kcat_s
        FROM (SELECT run_id, topic, max(receive_time) AS last FROM v_deliveries WHERE run_id IN (SELECT arrayJoin(splitByChar(',', {runs:String}))) GROUP BY run_id, topic) AS r
        INNER JOIN asked AS a ON a.run_id = r.run_id
        INNER JOIN known AS k ON k.run_id = r.run_id
        WHERE a.unsound = ''
        GROUP BY system, size, parts, threads, single
    ),
    ratios AS
    (
        SELECT s.system AS system, 1 AS which, s.seconds / l.seconds AS ratio
        FROM grid AS s INNER JOIN grid AS l ON l.system = s.system AND l.parts = s.parts AND l.threads = s.threads
        WHERE s.size = 256 AND l.size = 1024
        UNION ALL
        SELECT t.system AS system, 2 AS which, min(t.seconds / o.seconds) AS ratio
        FROM grid AS t INNER JOIN grid AS o ON o.system = t.system AND o.size = t.size AND o.parts = t.parts
        WHERE NOT t.single AND o.single AND t.size < 1024
        GROUP BY t.system, t.size, t.parts
        UNION ALL
        SELECT t.system AS system, 3 AS which, t.seconds / o.seconds AS ratio
        FROM grid AS t INNER JOIN grid AS o ON o.system = t.system AND o.size = t.size AND o.parts = t.parts
        WHERE NOT t.single AND o.single AND t.size >= 1024
        UNION ALL
        SELECT m.system AS system, if(m.size < 1024, 4, 5) AS which, m.seconds / o.seconds AS ratio
        FROM grid AS m INNER JOIN grid AS o ON o.system = m.system AND o.size = m.size AND o.threads = m.threads
        WHERE m.parts = 16 AND o.parts = 1
        UNION ALL
        SELECT system, if(size >= 1024, 6, 7) AS which, assumeNotNull(seconds / kcat_s) AS ratio
        FROM grid
        WHERE single AND kcat_s IS NOT NULL AND (size >= 1024 OR size = 256)
    ),
    claims AS
    (
        SELECT pair.1 AS which, pair.2 AS claim
        FROM (SELECT arrayJoin([
            (1, 'events of 256 B take 3 to 13 times as long as events of 1 KiB'),
            (2, 'threads help below 1 KiB'),
            (3, 'threads hurt from 1 KiB on, as a rule'),
            (4, 'several partitions only hurt below 1 KiB'),
            (5, 'several partitions are a toss-up from 1 KiB on: some faster, some slower'),
            (6, 'one thread takes at most 1.0 times the time of kcat from 1 KiB on'),
            (7, 'one thread takes at most 1.5 times the time of kcat at 256 B')]) AS pair)
    ),
    summed AS
    (
        SELECT system, which, count() AS cases, min(ratio) AS least, quantileExact(0.5)(ratio) AS median, max(ratio) AS most
        FROM ratios
        GROUP BY system, which
    ),
    systems AS
    (
        SELECT system, arrayStringConcat(arraySort(groupUniqArrayIf(concat(run_id, ': ', unsound), unsound != '')), '; ') AS trouble
        FROM asked
        GROUP BY system
    )
SELECT
    s.system AS system,
    c.claim AS claim,
    multiIf(
        n.cases = 0, 'cannot tell',
        (c.which = 1 AND least >= 3)
            OR (c.which = 2 AND most <= 1 - {least_effect:Float64})
            OR (c.which = 3 AND median >= 1 + {least_effect:Float64})
            OR (c.which = 4 AND least >= 1 - {least_effect:Float64})
            OR (c.which = 5 AND least < 1 - {least_effect:Float64} AND most > 1 + {least_effect:Float64})
            OR (c.which = 6 AND most <= 1.0)
            OR (c.which = 7 AND most <= 1.5), 'holds',
        'does not hold') AS verdict,
    if(c.which <= 5 AND s.system = 'redpanda', 'holds', 'not reported') AS authors,
    ifNull(concat(
        if(n.cases = 0, if(c.which >= 6, 'kcat was not measured', 'the runs do not cover it'),
            concat(toString(round(least, 2)), ' to ', toString(round(most, 2)), ' times, median ', toString(round(median, 2)), ', of ', toString(n.cases))),
        if(s.trouble = '', '', concat('; left out: ', s.trouble))), '') AS reason,
    n.cases AS cases,
    if(n.cases > 0, n.least, NULL) AS least,
    if(n.cases > 0, n.median, NULL) AS median,
    if(n.cases > 0, n.most, NULL) AS most
FROM systems AS s
CROSS JOIN claims AS c
LEFT JOIN summed AS n ON n.system = s.system AND n.which = c.which
ORDER BY system, c.which
