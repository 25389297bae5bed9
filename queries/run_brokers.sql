-- SPDX-License-Identifier: Apache-2.0
-- name: run_brokers
-- purpose: The brokers of a run, from its manifest and from partition leaders, with host and log drive if known.
-- param run_id String: run to read
-- returns broker String, host String, device String
-- broker -1: messages whose partition leader was never seen.
SELECT toString(id) AS broker, argMax(at_host, (known, at_host)) AS host, max(drive) AS device
FROM
(
    SELECT broker AS id, host AS at_host, device AS drive, 1 AS known
    FROM v_broker_drives
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT toInt64(leader) AS id, toString(leader_host) AS at_host, '' AS drive, 0 AS known
    FROM v_partition_leaders
    WHERE run_id = {run_id:String} AND leader >= 0
    UNION ALL
    SELECT -1 AS id, '' AS at_host, '' AS drive, 0 AS known
    FROM v_runs
    WHERE run_id = {run_id:String} AND run_id NOT IN (SELECT run_id FROM v_partition_leaders
        WHERE run_id = {run_id:String})
)
GROUP BY id
ORDER BY id
