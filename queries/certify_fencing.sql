-- SPDX-License-Identifier: Apache-2.0
-- name: certify_fencing
-- purpose: Of a run with zombies, producers that a newer one with their transactional id took over from: whether
--     nothing of a zombie's transaction was committed, and everything of the newer ones'.
-- param run_id String: run to read
-- returns kind String, messages UInt64, example String
-- checked: messages sent in all transactions; 0 where there was no zombie.
-- zombie_committed: messages of a zombie's transaction that a subscription received, or whose commit was confirmed.
-- newer_lost: acknowledged messages of committed transactions that a subscription did not receive.
-- allowed_in_doubt: messages of transactions of newer producers in doubt: neither commit nor abort was confirmed.
-- allowed_uncommitted: a zombie's messages received by groups that read all messages.
-- example: the first transaction by its end.
-- The messages of a transaction are compared by count and hash, and one by one where those differ.
-- long: zombies and newer producers are judged by the same messages.
WITH
    (
        SELECT (reads_committed, arrayMap((name, groups) -> (name, toUInt64(groups)), topics, topic_groups))
        FROM v_run_plan(run_id = {run_id:String})
    ) AS plan,
    zombies AS
    (
        SELECT toUInt32(JSONExtractUInt(detail, 'producer')) AS producer, JSONExtractUInt(detail, 'number') AS number
        FROM v_run_events
        WHERE run_id = {run_id:String} AND kind = 'transaction' AND name = 'zombie'
    ),
    ended AS
    (
        SELECT producer, toString(topic) AS topic, number, first_sequence, messages, acked,
            toString(outcome) AS outcome, end_time,
            (producer, number) IN (SELECT producer, number FROM zombies) AS is_zombie
        FROM v_transactions
        WHERE run_id = {run_id:String}
    ),
    received AS
    (
        SELECT e.producer AS producer, e.number AS number, r.subscription AS subscription, r.sequence AS sequence,
            r.place AS place
        FROM
        (
            SELECT producer, subscription, toUInt64(sequence) AS sequence,
                concat(toString(partition), '@', toString(offset)) AS place
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND producer < 4294967295 AND sequence >= 0
        ) AS r
        ASOF INNER JOIN ended AS e ON r.producer = e.producer AND r.sequence >= e.first_sequence
        WHERE r.sequence < e.first_sequence + e.messages
    ),
    expected AS
    (
        SELECT *, toUInt16(arrayJoin(range(plan.2[indexOf(plan.2.1, topic)].2))) AS subscription,
            if(is_zombie, (toUInt64(0), toUInt64(0)), (toUInt64(messages), arraySum(sequence -> cityHash64(sequence),
                range(first_sequence, first_sequence + messages)))) AS whole
        FROM ended
    ),
    suspect AS
    (
        SELECT e.*, g.got_place AS got_place
        FROM expected AS e
        LEFT JOIN
        (
            SELECT producer, number, subscription, (count(), sum(cityHash64(sequence))) AS got,
                argMin(place, sequence) AS got_place
            FROM received
            GROUP BY producer, number, subscription
        ) AS g ON g.producer = e.producer AND g.number = e.number AND g.subscription = e.subscription
        WHERE g.got != e.whole OR e.is_zombie AND e.outcome = 'committed'
    ),
    judged AS
    (
        SELECT
            s.*,
            ifNull(d.distinct_received, 0) AS got,
            multiIf(
                s.is_zombie AND s.outcome = 'committed', ('zombie_committed', toUInt64(s.messages)),
                s.is_zombie, (if(plan.1, 'zombie_committed', 'allowed_uncommitted'), got),
                s.outcome = 'in_doubt', ('allowed_in_doubt', toUInt64(s.messages)),
                s.outcome = 'committed', ('newer_lost', toUInt64(greatest(0, toInt64(s.acked) - toInt64(got)))),
                ('', toUInt64(0))) AS each
        FROM suspect AS s
        LEFT JOIN
        (
            SELECT producer, number, subscription, uniqExact(sequence) AS distinct_received
            FROM received
            WHERE (producer, number) IN (SELECT producer, number FROM suspect)
            GROUP BY producer, number, subscription
        ) AS d ON d.producer = s.producer AND d.number = s.number AND d.subscription = s.subscription
    )
SELECT 'checked' AS kind, sum(ended.messages) * (max(is_zombie) > 0) AS messages, '' AS example
FROM ended
UNION ALL
SELECT
    each.1 AS kind,
    sum(each.2) AS messages,
    argMin(
        concat('producer ', toString(producer), ' transaction ', toString(number), ' (sequences ',
            toString(first_sequence), ' to ', toString(first_sequence + judged.messages - 1), '), ended ',
            toString(end_time), ' UTC, ', outcome, ': subscription ', toString(subscription), ' received ',
            toString(got), if(got = 0, '', concat(', the first at ', got_place))),
        (end_time, producer, number)) AS example
FROM judged
WHERE each.2 > 0
GROUP BY kind
ORDER BY kind
