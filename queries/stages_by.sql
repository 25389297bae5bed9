-- SPDX-License-Identifier: Apache-2.0
-- name: stages_by
-- purpose: Where messages spent their time, by broker, partition or producer.
-- param run_id String: run to read
-- param by String = broker in broker|partition|producer: what to compare
-- param side String = publish in publish|delivery: publish latency, or end-to-end latency
-- param band UInt8 = 0 in 0..2: 0 all messages, 1 the slowest 10 % of each second, 2 the slowest 1 %
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns place String, messages UInt64, latency_us Float64, stage String, mean_us Float64, share Float64
-- latency_us: the place's mean latency; its stages' means add up to it. Broker -1: messages without a request. The
-- place that spent the most time is first.
WITH
    (SELECT names FROM v_stage_names) AS names
SELECT place, whole.1 AS messages, whole.2 / whole.1 AS latency_us, part.1 AS stage, part.2 / whole.1 AS mean_us,
    if(whole.2 = 0, 0, part.2 / whole.2) AS share
FROM
(
    SELECT CAST(place, 'String') AS place, anyIf((counted, spent), stage = 'latency') AS whole,
        arraySort(p -> indexOf(names, p.1), groupArrayIf((CAST(stage, 'String'), spent), stage != 'latency')) AS parts
    FROM
    (
        SELECT place, stage, sum(messages) AS counted, sum(us) AS spent
        FROM v_stages_1s(run_id = {run_id:String})
        WHERE side = {side:String} AND by = {by:String} AND band >= {band:UInt8}
            AND time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
        GROUP BY place, stage
    )
    GROUP BY place
)
ARRAY JOIN parts AS part
ORDER BY whole.2 DESC, place, indexOf(names, stage)
