-- SPDX-License-Identifier: Apache-2.0
-- name: signal_points
-- purpose: Signals by intervals instead of seconds, for runs of hours.
-- param run_id String: run to read
-- param signals String = drive_write_ms,drive_flush_ms: which signals, with commas between them (signal_catalogue lists
--     them)
-- param point_s UInt32 = 60 in 1..86400: length of an interval, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second; reading a long run hour by hour takes little
--     memory
-- returns time DateTime('UTC'), signal String, unit String, host String, device String, broker Int32, value Float64
-- A point is the median of its seconds; for units per s and MB/s, the mean.
SELECT time, signal, unit, host, device, broker, if(unit IN ('per s', 'MB/s'), mean, median) AS value
FROM
(
    SELECT
        toDateTime(intDiv(toUnixTimestamp(s.time), {point_s:UInt32}) * {point_s:UInt32}, 'UTC') AS time,
        signal, unit, toString(s.host) AS host, toString(s.device) AS device, broker,
        avg(assumeNotNull(s.value)) AS mean,
        quantileExact(0.5)(assumeNotNull(s.value)) AS median
    FROM v_signals_of_1s(run_id = {run_id:String}, signals = {signals:String}) AS s
    WHERE hour BETWEEN toStartOfHour({from:DateTime('UTC')}) AND toStartOfHour({to:DateTime('UTC')})
        AND s.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
    GROUP BY signal, unit, host, device, broker, time
)
ORDER BY signal, host, device, broker, time
