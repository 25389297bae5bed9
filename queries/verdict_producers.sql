-- SPDX-License-Identifier: Apache-2.0
-- name: verdict_producers
-- purpose: Whether a load does much worse when more producers and consumers share it, everything else equal.
-- param runs String: run ids with commas between them: the same rates with few and with many producers
-- param least_ratio Float64 = 2 in 1..: least ratio to the p99 of few producers that counts as much worse
-- param least_runs UInt64 = 3 in 1..: least number of judged runs on each side of a rate; a rate with fewer is not
--     compared
-- returns system String, claim String, verdict String, authors String, reason String, tls UInt8, few UInt64,
--     many UInt64, rates UInt64, worst_ratio Nullable(Float64), at_per_s Nullable(Float64),
--     few_p99_ms Nullable(Float64), many_p99_ms Nullable(Float64), few_reached Nullable(Float64),
--     many_reached Nullable(Float64)
-- One row per system, with and without TLS. It compares runs of one offered rate: p99 end to end, and the share of the
-- rate that was reached.
-- worst_ratio is at the rate at_per_s; few_reached and many_reached are the lowest shares over all rates. A rate that
-- few producers reach to 95 % and many do not counts as much worse too; a run without timely messages has only that.
-- Runs that may not be judged are left out and counted (runs_left_out names them); if a rate is not compared for that,
-- the others cannot refute the claim. rates: those compared.
-- long: the two sides are compared at each rate, with enough runs on both.
WITH
    asked AS (SELECT * FROM v_experiment_runs(runs = {runs:String})),
    sides AS (SELECT system, tls, min(producers) AS few, max(producers) AS many FROM asked GROUP BY system, tls),
    rates AS
    (
        SELECT a.system AS system, a.tls AS tls, a.offered_per_s AS offered,
            avgOrNullIf(if(a.p99_ms > 0, a.p99_ms, NULL), a.producers = s.few) AS few_ms,
            avgOrNullIf(if(a.p99_ms > 0, a.p99_ms, NULL), a.producers = s.many) AS many_ms,
            avgOrNullIf(a.acked_per_s / a.offered_per_s, a.producers = s.few) AS few_share,
            avgOrNullIf(a.acked_per_s / a.offered_per_s, a.producers = s.many) AS many_share,
            many_ms / few_ms AS ratio,
            least(countIf(a.producers = s.few), countIf(a.producers = s.many)) >= {least_runs:UInt64} AS enough
        FROM asked AS a
        INNER JOIN sides AS s ON s.system = a.system AND s.tls = a.tls
        WHERE s.few < s.many AND a.offered_per_s > 0 AND a.unsound = ''
        GROUP BY system, tls, offered
        HAVING few_share IS NOT NULL AND many_share IS NOT NULL
    ),
    compared AS
    (
        SELECT system, tls, count() AS number_of_rates, countIf(enough) AS number, maxOrNullIf(ratio, enough) AS worst,
            argMaxOrNullIf(offered, ratio, enough) AS at,
            argMaxOrNullIf(few_ms, ratio, enough) AS few_at,
            argMaxOrNullIf(many_ms, ratio, enough) AS many_at, minIf(few_share, enough) AS few_least,
            minIf(many_share, enough) AS many_least,
            countIf(enough AND few_share >= 0.95 AND many_share < 0.95) AS only_few,
            number_of_rates - number AS few_judged
        FROM rates
        GROUP BY system, tls
    ),
    troubles AS
    (
        SELECT system, tls, countIf(unsound != '') AS lost, count() AS made,
            uniqExactIf(offered_per_s, unsound != ''
                AND (system, tls, offered_per_s) NOT IN (SELECT system, tls, offered FROM rates)) AS gone,
            arrayStringConcat(arraySort(groupUniqArrayIf(extract(unsound, '^[^:]+'), unsound != '')), ', ') AS why
        FROM asked
        GROUP BY system, tls
    )
SELECT
    s.system AS system,
    concat(toString(s.many), ' producers do much worse than ', toString(s.few), if(s.tls, ', over TLS', '')) AS claim,
    multiIf(
        number = 0, 'cannot tell',
        ifNull(worst, 0) >= {least_ratio:Float64} OR only_few > 0, 'holds',
        few_judged > 0 OR gone > 0 OR worst IS NULL, 'cannot tell',
        'does not hold') AS verdict,
    if(s.system = 'redpanda', 'holds', 'not reported') AS authors,
    concat(
        multiIf(number = 0 AND few_judged > 0, 'no rate can be compared',
            number = 0, concat('it takes runs of the same rate with few and with many producers',
                if(lost = 0, '', ' that may be judged')),
            concat(if(worst IS NULL, 'no p99 to compare', concat('p99 at worst ',
                toString(round(assumeNotNull(worst), 2)), ' times as long, at ', toString(round(assumeNotNull(at))),
                ' messages/s')), '; ',
                toString(only_few), ' of ', toString(number), ' rates reached by few producers alone')),
        if(few_judged = 0, '', concat('; a rate takes ', toString({least_runs:UInt64}),
            ' runs on each side that may be judged, ', toString(few_judged), ' of ', toString(number_of_rates),
            if(few_judged = 1, ' has', ' have'), ' fewer')),
        if(lost = 0, '', concat('; ', toString(lost), ' of ', toString(made), ' runs left out: ', why))) AS reason,
    toUInt8(s.tls) AS tls,
    s.few AS few,
    s.many AS many,
    number AS rates,
    if(number > 0, worst, NULL) AS worst_ratio,
    if(number > 0, at, NULL) AS at_per_s,
    if(number > 0, few_at, NULL) AS few_p99_ms,
    if(number > 0, many_at, NULL) AS many_p99_ms,
    if(number > 0, few_least, NULL) AS few_reached,
    if(number > 0, many_least, NULL) AS many_reached
FROM sides AS s
INNER JOIN troubles AS t ON t.system = s.system AND t.tls = s.tls
LEFT JOIN compared AS c ON c.system = s.system AND c.tls = s.tls
ORDER BY system, tls
