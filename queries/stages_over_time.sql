-- SPDX-License-Identifier: Apache-2.0
-- name: stages_over_time
-- purpose: Mean time in each stage per interval, as the report stacks it: of all messages, or of the slowest of each
--     second.
-- param run_id String: run to read
-- param side String = publish in publish|delivery: publish latency, or end-to-end latency
-- param band UInt8 = 2 in 0..2: 0 all messages, 1 the slowest 10 % of each second, 2 the slowest 1 %
-- param step_s UInt32 = 1 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), stage String, messages UInt64, latency_us Float64, mean_us Float64
-- latency_us: the mean latency of the interval's messages; the means of their stages add up to it.
WITH (SELECT names FROM v_stage_names) AS names
SELECT toDateTime(place * {step_s:UInt32}, 'UTC') AS time, part.1 AS stage, whole.1 AS messages,
    whole.2 / whole.1 AS latency_us, part.2 / whole.1 AS mean_us
FROM
(
    SELECT place, anyIf((counted, spent), stage = 'latency') AS whole,
        groupArrayIf((stage, spent), stage != 'latency') AS parts
    FROM
    (
        SELECT intDiv(toUnixTimestamp(time), {step_s:UInt32}) AS place, CAST(v.stage, 'String') AS stage,
            sum(v.messages) AS counted, sum(v.us) AS spent
        FROM v_stages_1s(run_id = {run_id:String}) AS v
        WHERE side = {side:String} AND by = 'run' AND band >= {band:UInt8}
            AND v.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
        GROUP BY place, stage
    )
    GROUP BY place
)
ARRAY JOIN parts AS part
ORDER BY time, indexOf(names, stage)
