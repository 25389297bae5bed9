-- SPDX-License-Identifier: Apache-2.0
-- name: broker_log_counts
-- purpose: How many lines brokers, their garbage collectors and the kernel wrote, by level: in a window, beside the
--     whole run; needs a cluster with Vector.
-- param run_id String: run to read
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second of the window
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second of the window
-- returns host LowCardinality(String), source LowCardinality(String), level LowCardinality(String), lines UInt64,
--     run_lines UInt64
SELECT
    host,
    source,
    level,
    countIf(time >= {from:DateTime('UTC')} AND time < {to:DateTime('UTC')} + 1) AS lines,
    count() AS run_lines
FROM v_broker_logs
WHERE run_id = {run_id:String}
GROUP BY host, source, level
ORDER BY host, source, level
