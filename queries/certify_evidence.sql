-- SPDX-License-Identifier: Apache-2.0
-- name: certify_evidence
-- purpose: What a run did of that which a claim must see before it can hold.
-- param run_id String: run to read
-- returns name String, found UInt64
-- acknowledged: messages, as the ledger counts them. readers: groups of all topics of the plan.
-- committed, aborted: acknowledged messages of transactions that ended so. transactional: messages of all transactions.
-- zombies: producers that a newer one with their transactional id took over from. released: messages that members of
-- share groups gave back. rebalances: changes of a member's partitions in the measure phase.
WITH
    (
        SELECT (minIf(time, name = 'measure'), minIf(time, name = 'drain'))
        FROM v_run_events
        WHERE run_id = {run_id:String} AND kind = 'phase'
    ) AS load
SELECT 'acknowledged' AS name, sum(events) AS found
FROM v_ledger
WHERE run_id = {run_id:String} AND kind = 'acked'
UNION ALL
SELECT 'readers' AS name, arraySum(topic_groups) AS found
FROM v_run_plan(run_id = {run_id:String})
UNION ALL
SELECT toString(outcome) AS name, sum(acked) AS found
FROM v_transactions
WHERE run_id = {run_id:String} AND outcome IN ('committed', 'aborted')
GROUP BY name
UNION ALL
SELECT 'transactional' AS name, sum(messages) AS found
FROM v_transactions
WHERE run_id = {run_id:String}
UNION ALL
SELECT if(kind = 'share', 'released', 'zombies') AS name, count() AS found
FROM v_run_events
WHERE run_id = {run_id:String} AND (kind, name) IN (('transaction', 'zombie'), ('share', 'released'))
GROUP BY kind
UNION ALL
SELECT 'rebalances' AS name, count() AS found
FROM v_run_events
WHERE run_id = {run_id:String} AND kind = 'rebalance' AND time BETWEEN load.1 AND load.2
ORDER BY name
