-- SPDX-License-Identifier: Apache-2.0
-- name: broker_logs
-- purpose: What brokers, their garbage collectors and the kernel wrote during a run, warnings and worse, equal lines of
--     a second as one row; needs a cluster with Vector.
-- param run_id String: run to read
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- param rows UInt32 = 200 in 1..10000: most rows to show
-- returns time DateTime('UTC'), host LowCardinality(String), source LowCardinality(String),
--     level LowCardinality(String), logger LowCardinality(String), message String, lines UInt64
SELECT toDateTime(v_broker_logs.time, 'UTC') AS time, host, source, level, logger, message, count() AS lines
FROM v_broker_logs
WHERE run_id = {run_id:String} AND v_broker_logs.time >= {from:DateTime('UTC')}
    AND v_broker_logs.time < {to:DateTime('UTC')} + 1
    AND level IN ('WARN', 'ERROR', 'FATAL')
GROUP BY time, host, source, level, logger, message
ORDER BY time, host, source, message
LIMIT {rows:UInt32}
