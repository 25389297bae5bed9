-- SPDX-License-Identifier: Apache-2.0
-- name: signal_points
-- purpose: Signals by stretches of time instead of seconds, for runs of hours.
-- param run_id String: run to read
-- param signals Array(String) = ['drive_write_ms','drive_flush_ms']: which signals (signal_catalogue lists them)
-- param point_s UInt32 = 60: seconds that make one point, s
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00: last second; hours of a long run one by one are read with little memory
-- returns time DateTime('UTC'), signal String, unit String, host String, device String, broker Int32, value Float64
-- A point is the median of its seconds; of what is counted per second or in MB/s, the mean.
SELECT
    toDateTime(intDiv(toUnixTimestamp(time), {point_s:UInt32}) * {point_s:UInt32}, 'UTC') AS time,
    signal,
    any(unit) AS unit,
    toString(host) AS host,
    toString(device) AS device,
    broker,
    if(any(unit) IN ('per s', 'MB/s'), avg(assumeNotNull(value)), quantileExact(0.5)(assumeNotNull(value))) AS value
FROM v_signals_1s AS s
WHERE run_id = {run_id:String} AND signal IN {signals:Array(String)}
    AND hour BETWEEN toStartOfHour({from:DateTime('UTC')}) AND toStartOfHour({to:DateTime('UTC')})
    AND s.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
GROUP BY signal, host, device, broker, time
ORDER BY signal, host, device, broker, time
