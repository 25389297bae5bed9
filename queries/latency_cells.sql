-- SPDX-License-Identifier: Apache-2.0
-- name: latency_cells
-- purpose: Messages by interval of a window (of their intended send) and by latency, cell by cell; from the rollup.
-- param run_id String: run to read
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param topic String = all: one topic, or all
-- param point_s UInt32 = 1 in 1..86400: length of an interval, s
-- param per_doubling UInt8 = 4 in 1..16: cells from a latency to twice that latency
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), below_ms String, events UInt64
-- below_ms: where the cell ends, in ms, of fixed width, so that texts sort like numbers; latencies of 0 and below share
-- 0.000.
-- A cell without messages has no row.
SELECT toDateTime(place * {point_s:UInt32}, 'UTC') AS time, below_ms, sum(n) AS events
FROM
(
    SELECT
        place,
        n,
        leftPad(printf('%.3f', if(cell = -1, 0, exp2((cell + 1) / {per_doubling:UInt8}) / 1000)), 12, ' ') AS below_ms
    FROM
    (
        SELECT
            intDiv(toUnixTimestamp(v.time), {point_s:UInt32}) AS place,
            if(v.value_us <= 0, -1, toInt32(floor(log2(greatest(v.value_us, 1)) * {per_doubling:UInt8}
                + 1e-9))) AS cell,
            sum(v.events) AS n
        FROM v_latency_1s AS v
        WHERE run_id = {run_id:String} AND stage = {stage:String} AND ({topic:String} = 'all' OR topic = {topic:String})
            AND v.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
        GROUP BY place, cell
    )
)
GROUP BY place, below_ms
ORDER BY time, below_ms
