-- SPDX-License-Identifier: Apache-2.0
-- name: audit_requests
-- purpose: Per broker whose agent recorded the run's requests: its counts, the stored rows, which times are covered.
-- param run_id String: run to read
-- returns worker UInt16, brokers Array(UInt32), recorded UInt64, lost UInt64, lost_reasons Map(String, UInt64),
--     stored UInt64, intervals Array(Tuple(DateTime64(6, 'UTC'), DateTime64(6, 'UTC'))),
--     first_time Nullable(DateTime64(6, 'UTC')), last_time Nullable(DateTime64(6, 'UTC'))
-- Brokers that led partitions of the run have a row without the agent too. An agent ships its counts every few seconds,
-- so stored may exceed recorded less lost while it runs. intervals: in which every row is stored, or counted as lost.
-- first_time, last_time: of the run's messages, from the first intended send to the last acknowledgement. worker is
-- 32768 + the broker's number modulo 32768.
-- long: counts, rows and leaders are three sources.
SELECT
    worker,
    arraySort(groupUniqArrayIf(broker, kind IN ('stored', 'leader'))) AS brokers,
    sumIf(events, kind = 'recorded') AS recorded,
    sumIf(events, kind = 'lost') AS lost,
    sumMapIf(map(reason, events), kind = 'lost') AS lost_reasons,
    sumIf(events, kind = 'stored') AS stored,
    arraySort(groupArrayIf((from_time, to_time), kind = 'recorded')) AS intervals,
    (SELECT minOrNull(intended_time) FROM v_publishes WHERE run_id = {run_id:String}) AS first_time,
    (SELECT maxOrNull(ack_time) FROM v_publishes WHERE run_id = {run_id:String}) AS last_time
FROM
(
    SELECT worker, toUInt32(0) AS broker, toString(kind) AS kind, toString(reason) AS reason, events, from_time, to_time
    FROM v_ledger
    WHERE run_id = {run_id:String} AND stream = 'broker_requests'
    UNION ALL
    SELECT worker, broker, 'stored' AS kind, '' AS reason, count() AS events,
        toDateTime64(0, 6, 'UTC') AS from_time, toDateTime64(0, 6, 'UTC') AS to_time
    FROM v_broker_requests
    WHERE run_id = {run_id:String}
    GROUP BY worker, broker
    UNION ALL
    SELECT DISTINCT toUInt16(32768 + leader % 32768) AS worker, toUInt32(leader) AS broker, 'leader' AS kind,
        '' AS reason, toUInt64(0) AS events, toDateTime64(0, 6, 'UTC') AS from_time,
        toDateTime64(0, 6, 'UTC') AS to_time
    FROM v_partition_leaders
    WHERE run_id = {run_id:String} AND leader >= 0
)
GROUP BY worker
ORDER BY worker
