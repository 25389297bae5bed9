-- SPDX-License-Identifier: Apache-2.0
-- name: signals_per_second
-- purpose: All signals second by second: of drives, broker, host, network, load generator and latency.
-- param run_id String: run to read
-- param signal String = all: which signals, with commas between them (signal_catalogue lists them), or all
-- param device String = all: one drive or network device, or all
-- param host String = all: one host, or all
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime('UTC'), signal String, unit String, host String, device String, broker Int32,
--     value Nullable(Float64)
-- A second without a row was not measured, or its counter restarted; for messages per s there were none. broker is -1
-- if the signal does not belong to one broker.
SELECT time, signal, unit, toString(host) AS host, toString(device) AS device, broker, value
FROM v_signals_of_1s(run_id = {run_id:String}, signals = {signal:String})
WHERE hour BETWEEN toStartOfHour({from:DateTime('UTC')}) AND toStartOfHour({to:DateTime('UTC')})
    AND time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
    AND ({device:String} = 'all' OR device = {device:String})
    AND ({host:String} = 'all' OR host = {host:String})
ORDER BY signal, host, device, broker, time
