-- SPDX-License-Identifier: Apache-2.0
-- name: audit_rollups
-- purpose: Per worker, rollup and stage, the messages of the rollup beside the rows it was computed from.
-- param run_id String: run to read
-- returns worker UInt16, rollup String, stage String, events UInt64, stored UInt64
-- A sound run has events = stored in every row.
SELECT worker, rollup, stage, sum(rolled) AS events, sum(raw) AS stored
FROM
(
    SELECT worker, 'latency_1s' AS rollup, toString(stage) AS stage, events AS rolled, 0 AS raw
    FROM v_latency_1s
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT worker, 'throughput_1s' AS rollup, toString(stage) AS stage, events AS rolled, 0 AS raw
    FROM v_throughput_1s
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT worker, made.1 AS rollup, made.2 AS stage, 0 AS rolled, messages AS raw
    FROM (SELECT worker, count() AS messages FROM v_publishes WHERE run_id = {run_id:String} GROUP BY worker)
    ARRAY JOIN [('latency_1s', 'publish'), ('latency_1s', 'publish_delay'), ('latency_1s', 'publish_service'),
        ('throughput_1s', 'acked')] AS made
    UNION ALL
    SELECT worker, made.1 AS rollup, made.2 AS stage, 0 AS rolled, messages AS raw
    FROM (SELECT worker, count() AS messages FROM v_deliveries WHERE run_id = {run_id:String} GROUP BY worker)
    ARRAY JOIN [('latency_1s', 'end_to_end'), ('throughput_1s', 'received')] AS made
    UNION ALL
    SELECT worker, 'throughput_1s' AS rollup, 'failed' AS stage, 0 AS rolled, count() AS raw
    FROM v_publish_failures
    WHERE run_id = {run_id:String}
    GROUP BY worker
)
GROUP BY worker, rollup, stage
ORDER BY worker, rollup, stage
