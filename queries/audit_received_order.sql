-- SPDX-License-Identifier: Apache-2.0
-- name: audit_received_order
-- purpose: Partitions of which a consumer received a message after a later one; redelivered messages included.
-- param run_id String: run to read
-- returns topic LowCardinality(String), partition Int32, subscription UInt16
-- Messages of one poll have one receive time, so it compares polls. audit_received_late lists the messages.
SELECT topic, partition, subscription
FROM
(
    SELECT
        topic,
        partition,
        subscription,
        min(offset) AS low,
        max(max(offset)) OVER (
            PARTITION BY topic, partition, subscription, worker, consumer
            ORDER BY receive_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS highest_before
    FROM v_deliveries
    WHERE run_id = {run_id:String}
    GROUP BY topic, partition, subscription, worker, consumer, receive_time
)
WHERE low < highest_before
GROUP BY topic, partition, subscription
ORDER BY topic, partition, subscription
