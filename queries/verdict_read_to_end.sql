-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_read_to_end
-- purpose: Reading a fixed volume to its end: each conclusion of the published study reproduced or contradicted, and
--     our consumer against kcat.
-- param runs String: run ids with commas between them, as of read_to_end_grid
-- param least_effect Float64 = 0.05 in 0..: least difference of two times, as a share, that counts as faster or slower
-- param least_s Float64 = 0.1 in 0..: least time of a place of the grid, s; a shorter time is mostly start and stop,
--     and is left out
-- returns system String, claim String, verdict String, authors String, reason String, conclusion String, study String,
--     published String, cases UInt64, faster UInt64, slower UInt64, least Nullable(Float64), median Nullable(Float64),
--     most Nullable(Float64)
-- One row per conclusion; study is reproduced, contradicted or cannot tell, and empty for the two rows that are no
-- conclusion of the study's. least, median and most are ratios of seconds, one for each pair of places that differ in
-- nothing else (cases): size_*: small over large events, or 256 B over 1 KiB; threads_*: threads over one thread;
-- threads_growing: the best threads of 256 B over those of 512 B; partitions_*: several partitions over one; pool_*: a
-- pool of two over a thread per partition, or over other pools; wc_fastest: seconds over wc -l; client_sizes: kcat,
-- larger events over smaller; kcat_*: one thread over kcat. Several runs of one place are averaged; runs that may not
-- be judged are left out and counted (runs_left_out names them).
-- long: 17 conclusions of one study are judged by one rule each, over the same pairs of runs.
WITH
    asked AS (SELECT * FROM v_experiment_runs(runs = {runs:String})),
    known AS
    (
        SELECT run_id, JSONExtractRaw(manifest, 'experiment', 'baselines') AS baselines,
            JSONExtractUInt(manifest, 'host', 'cpus') AS cpus
        FROM v_runs WHERE run_id IN (SELECT arrayJoin(splitByChar(',', {runs:String})))
    ),
    -- Asked once, as an array: a table would be asked again each of the eleven times that it is named below.
    (
        SELECT groupArray((system, size, parts, kind, pool, seconds, kcat_s, wc_s))
        FROM
        (
            SELECT
                a.system AS system,
                toUInt64OrZero(extract(CAST(r.topic, 'String'), '-(\\d+)k?-\\d+p$')) * if(match(CAST(r.topic, 'String'),
                    'k-\\d+p$'), 1024, 1) AS size,
                toUInt64OrZero(extract(CAST(r.topic, 'String'), '-(\\d+)p$')) AS parts,
                JSONExtractString(a.plan, 'behaviour', 'consumer_threads') AS kind,
                JSONExtractUInt(a.plan, 'behaviour', 'consumer_pool') AS pool,
                avg(dateDiff('microsecond', a.measure_from, r.last) / 1e6) AS seconds,
                avg(nullIf(JSONExtractFloat(k.baselines, 'kcat', CAST(r.topic, 'String')), 0)) AS kcat_s,
                avg(nullIf(JSONExtractFloat(k.baselines, 'wc'), 0)) AS wc_s
            FROM (SELECT run_id, topic, max(receive_time) AS last FROM v_deliveries
                WHERE run_id IN (SELECT arrayJoin(splitByChar(',', {runs:String}))) GROUP BY run_id, topic) AS r
            INNER JOIN asked AS a ON a.run_id = r.run_id
            INNER JOIN known AS k ON k.run_id = r.run_id
            WHERE a.unsound = ''
            GROUP BY system, size, parts, kind, pool
            HAVING seconds >= {least_s:Float64}
        )
    ) AS places,
    grid AS
    (
        SELECT place.1 AS system, place.2 AS size, place.3 AS parts, place.4 AS kind, place.5 AS pool,
            place.6 AS seconds, place.7 AS kcat_s, place.8 AS wc_s
        FROM (SELECT arrayJoin(places) AS place)
    ),
    -- Each place of the grid over each other. A pool of one is no more threads than one.
    pairs AS
    (
        SELECT a.system AS system, a.size AS size, a.parts AS parts, a.seconds / b.seconds AS ratio,
            a.size = b.size AND a.parts = b.parts AS same_topic, a.kind = b.kind AND a.pool = b.pool AS same_way,
            same_topic AND a.kind != 'one' AND a.pool != 1 AND b.kind = 'one' AS threaded,
            same_way AND a.size = b.size AND a.parts > 1 AND b.parts = 1 AS spread,
            same_topic AND a.kind = 'pool' AND a.pool = 2 AS pooled,
            arrayJoin(arrayFilter(name -> name != '', [
                if(same_way AND a.parts = b.parts AND a.size < 1024 AND b.size >= 1024, 'size_large', ''),
                if(same_way AND a.parts = b.parts AND a.size = 256 AND b.size = 1024, 'size_256', ''),
                if(threaded, if(a.size >= 1024, 'threads_large', 'threads_small'), ''),
                if(spread, if(a.size >= 1024, 'partitions_large', 'partitions_small'), ''),
                if(spread AND a.kind = 'one', 'partitions_alone', ''),
                if(pooled AND b.kind = 'perPartition' AND a.parts = 1, 'pool_one_partition', ''),
                if(pooled AND b.kind = 'perPartition' AND a.parts > 1, if(a.size >= 1024, 'pool_large', 'pool_small'),
                    ''),
                if(pooled AND b.kind = 'pool' AND b.pool != 2, 'pool_of_two', '')])) AS name
        FROM grid AS a
        INNER JOIN grid AS b ON b.system = a.system
    ),
    best AS (SELECT system, size, parts, min(ratio) AS quickest FROM pairs WHERE name = 'threads_small' GROUP BY system,
        size, parts),
    ratios AS
    (
        SELECT system, name, ratio FROM pairs
        UNION ALL
        SELECT a.system AS system, 'threads_growing' AS name, a.quickest / b.quickest AS ratio
        FROM best AS a INNER JOIN best AS b ON b.system = a.system AND b.parts = a.parts
        WHERE a.size = 256 AND b.size = 512
        UNION ALL
        SELECT system, 'threads_fourfold' AS name, quickest AS ratio FROM best WHERE size = 256
        UNION ALL
        SELECT system, 'wc_fastest' AS name, seconds / assumeNotNull(wc_s) AS ratio FROM grid WHERE wc_s IS NOT NULL
        UNION ALL
        SELECT a.system AS system, 'client_sizes' AS name, assumeNotNull(a.kcat_s / b.kcat_s) AS ratio
        FROM grid AS a INNER JOIN grid AS b ON b.system = a.system AND b.parts = a.parts
        WHERE a.kind = 'one' AND b.kind = 'one' AND a.size > b.size AND a.size <= 65536 AND a.kcat_s IS NOT NULL
            AND b.kcat_s IS NOT NULL
        UNION ALL
        SELECT system, if(size >= 1024, 'kcat_large', 'kcat_256') AS name, assumeNotNull(seconds / kcat_s) AS ratio
        FROM grid
        WHERE kind = 'one' AND kcat_s IS NOT NULL AND (size >= 1024 OR size = 256)
    ),
    -- Name, claim, the figures published with it, and the least number of cases for a verdict.
    claims AS
    (
        SELECT entry.1 AS name, entry.2 AS claim, entry.3 AS published, entry.4 AS needed, number AS place
        FROM (SELECT arrayJoin(arrayZip([
            ('size_large', 'events of 1 KiB and more are read faster', '', 2),
            ('size_256', 'events of 256 B take 3 to 13 times as long as events of 1 KiB', '3 to 13 times', 2),
            ('threads_large', 'threads hurt from 1 KiB on, as a rule', 'by up to 69 %', 2),
            ('threads_small', 'threads help below 1 KiB, as a rule', '', 2),
            ('threads_growing', 'threads help the more, the smaller the events', '', 1),
            ('threads_fourfold', 'threads make events of 256 B over four times as fast', 'under 0.25 times', 1),
            ('partitions_large', 'several partitions are a toss-up from 1 KiB on', '-30 % to 200 % better', 2),
            ('partitions_small', 'several partitions only hurt below 1 KiB', '', 2),
            ('partitions_alone', 'several partitions always cost a single thread', '1.05 to 1.4 times', 2),
            ('pool_one_partition', 'a pool is slower than a thread per partition, of one partition', 'each case', 2),
            ('pool_large', 'a pool is slower than a thread per partition, of several partitions, from 1 KiB on',
                'slightly', 2),
            ('pool_small', 'a pool is faster than a thread per partition, of several partitions, below 1 KiB',
                'slightly', 2),
            ('pool_of_two', 'two threads are the best pool', '', 2),
            ('wc_fastest', 'wc -l is faster than any consumer', '0.28 s', 2),
            ('client_sizes', 'another client reads larger events faster too', '', 2),
            ('kcat_large', 'one thread takes at most 1.0 times the time of kcat from 1 KiB on', '', 1),
            ('kcat_256', 'one thread takes at most 1.5 times the time of kcat at 256 B', '', 1)], range(17))) AS both,
                both.1 AS entry, both.2 AS number)
    ),
    summed AS
    (
        SELECT system, name, count() AS cases, countIf(ratio <= 1 - {least_effect:Float64}) AS faster,
            countIf(ratio >= 1 + {least_effect:Float64}) AS slower,
            min(ratio) AS least, quantileExactInclusive(0.5)(ratio) AS median, max(ratio) AS most
        FROM ratios
        GROUP BY system, name
    ),
    systems AS
    (
        SELECT a.system AS system, max(k.cpus) AS cpus, countIf(a.unsound != '') AS lost, count() AS made
        FROM asked AS a LEFT JOIN known AS k ON k.run_id = a.run_id
        GROUP BY system
    ),
    judged AS
    (
        SELECT s.system AS system, s.cpus AS cpus, s.lost AS lost, s.made AS made, c.name AS name, c.claim AS claim,
            c.published AS published, c.place AS place,
            n.cases AS cases, n.faster AS faster, n.slower AS slower, n.least AS least, n.median AS median,
                n.most AS most,
            multiIf(
                n.cases < c.needed, if(c.name LIKE 'kcat%' OR c.name = 'client_sizes', 'kcat was not measured',
                    'the runs do not cover it'),
                c.name = 'threads_fourfold' AND least > 0.25 AND s.cpus BETWEEN 1 AND 3,
                    concat(toString(s.cpus), ' CPUs cannot make it four times as fast'),
                c.name = 'pool_of_two' AND faster = slower, 'no pool is better than another',
                '') AS unknown,
            multiIf(
                c.name = 'size_large', faster = 0 AND slower * 2 > n.cases,
                c.name = 'size_256', least >= 3 * (1 - {least_effect:Float64})
                    AND most <= 13 * (1 + {least_effect:Float64}),
                c.name IN ('threads_large', 'pool_large'), slower * 2 > n.cases,
                c.name IN ('threads_small', 'pool_small'), faster * 2 > n.cases,
                c.name = 'threads_growing', median <= 1 - {least_effect:Float64},
                c.name = 'threads_fourfold', least <= 0.25,
                c.name = 'partitions_large', faster * 2 <= n.cases AND slower * 2 <= n.cases,
                c.name = 'partitions_small', faster = 0 AND slower > 0,
                c.name IN ('partitions_alone', 'pool_one_partition', 'wc_fastest'), slower = n.cases,
                c.name = 'pool_of_two', faster > slower,
                c.name = 'client_sizes', slower = 0 AND median <= 1 - {least_effect:Float64},
                c.name = 'kcat_large', most <= 1.0,
                most <= 1.5) AS so
        FROM systems AS s
        CROSS JOIN claims AS c
        LEFT JOIN summed AS n ON n.system = s.system AND n.name = c.name
    )
SELECT
    system,
    claim,
    multiIf(unknown != '', 'cannot tell', so, 'holds', 'does not hold') AS verdict,
    if(name NOT LIKE 'kcat%' AND system = 'redpanda', 'holds', 'not reported') AS authors,
    ifNull(concat(
        unknown,
        if(cases = 0, '', concat(if(unknown = '', '', ': '), toString(slower), ' of ', toString(cases), ' slower, ',
            toString(faster), ' faster, ', toString(round(least, 2)), ' to ',
            toString(round(most, 2)), ' times, median ', toString(round(median, 2)),
                if(name LIKE 'threads%' AND cpus > 0, concat(', on ', toString(cpus), ' CPUs'), ''))),
        if(lost = 0, '', concat('; ', toString(lost), ' of ', toString(made), ' runs left out'))), '') AS reason,
    name AS conclusion,
    multiIf(name LIKE 'kcat%', '', unknown != '', 'cannot tell', so, 'reproduced', 'contradicted') AS study,
    published,
    cases,
    faster,
    slower,
    if(cases > 0, least, NULL) AS least,
    if(cases > 0, median, NULL) AS median,
    if(cases > 0, most, NULL) AS most
FROM judged
ORDER BY system, place
