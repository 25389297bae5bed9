-- SPDX-License-Identifier: Apache-2.0
-- name: latency_stretches
-- purpose: Latency percentiles up to p99.99 of the messages intended in each interval, whole run, as the report draws
--     them; from the rollup (within 0.4 %), in µs.
-- param run_id String: run to read
-- param stage String = all in publish|publish_delay|publish_service|end_to_end|all: latency to read
-- param step_s UInt32 = 1 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second; reading a long run in parts takes little memory
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), phase String, stage LowCardinality(String), events UInt64, p50_us Int64, p90_us Int64,
--     p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64, worst_p99_us Int64
-- Buckets are sorted in arrays of numbers (bucket: 16 bits, messages: 48 bits, as in v_latency_ranks_1s), which costs a
-- fifth of quantilesExactWeighted.
-- worst_p99_us: p99 of the interval's worst single second, which a long interval would hide. An interval belongs to the
-- phase it starts in; a part of one before the first phase counts as that phase.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases,
    m -> bitAnd(m, 281474976710655) AS messages_of,
    m -> if(m < 9223372036854775808, -1, 1) * toInt64(floor(if(bitShiftRight(m, 48) = 32768, 0,
        reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(toInt32(bitShiftRight(m, 48)) - 32768)), 16) + 32768)))) AS us_of
SELECT
    toDateTime(place * {step_s:UInt32}, 'UTC') AS time,
    phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2 AS phase,
    stage,
    upto[-1] AS events,
    us_of(merged[arrayFirstIndex(n -> n >= ceil(0.5 * events), upto)]) AS p50_us,
    us_of(merged[arrayFirstIndex(n -> n >= ceil(0.9 * events), upto)]) AS p90_us,
    us_of(merged[arrayFirstIndex(n -> n >= ceil(0.99 * events), upto)]) AS p99_us,
    us_of(merged[arrayFirstIndex(n -> n >= ceil(0.999 * events), upto)]) AS p99_9_us,
    us_of(merged[arrayFirstIndex(n -> n >= ceil(0.9999 * events), upto)]) AS p99_99_us,
    us_of(merged[-1]) AS max_us,
    us_of(worst) AS worst_p99_us
FROM
(
    SELECT
        stage,
        place,
        arraySort(groupArrayArray(counted)) AS merged,
        arrayCumSum(m -> messages_of(m), merged) AS upto,
        max(p99) AS worst
    FROM
    (
        SELECT
            v.stage AS stage,
            toUnixTimestamp(v.time) AS second,
            intDiv(second, {step_s:UInt32}) AS place,
            arraySort(groupArray(bitShiftLeft(toUInt64(v.bucket + 32768), 48) + v.events)) AS counted,
            arrayCumSum(m -> messages_of(m), counted) AS upto,
            counted[arrayFirstIndex(n -> n >= ceil(0.99 * upto[-1]), upto)] AS p99
        FROM v_latency_1s AS v
        WHERE run_id = {run_id:String} AND ({stage:String} = 'all' OR v.stage = {stage:String})
            AND v.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
        GROUP BY stage, second
    )
    GROUP BY stage, place
)
ORDER BY stage, time
