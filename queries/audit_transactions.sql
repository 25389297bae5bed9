-- SPDX-License-Identifier: Apache-2.0
-- name: audit_transactions
-- purpose: Per subscription, the transactions of which it did not receive what their outcome allows, and those in
--     doubt; the first of each kind.
-- param run_id String: run to read
-- param slices UInt32 = 1 in 1..: number of slices of the run's producers
-- param slice UInt32 = 0 in <slices: which of them to read, from 0
-- returns subscription UInt16, kind String, transactions UInt64, messages UInt64, received UInt64,
--     first_producer UInt32, first_number UInt64, first_sequence UInt64, first_messages UInt32, first_received UInt64,
--     first_outcome String, first_place String, first_time DateTime64(6, 'UTC')
-- A message belongs to the transaction whose sequence numbers include its own. received: distinct messages received.
-- committed_lost: committed, and none of its messages was received. An in-doubt one counts as committed if another
-- subscription received all of it.
-- torn: committed or in doubt, and some of its messages were received, not all.
-- aborted_read: aborted, and a message of it was received by a group that reads committed messages;
-- aborted_read_uncommitted: by one that reads all.
-- in_doubt_committed, in_doubt_aborted: in doubt, and all or none of its messages were received.
-- in_doubt_uncommitted_read: in doubt, and read by a group that reads all: how it ended is unknown.
-- unread: committed or in doubt and incomplete, but the run was cut short and it ended after the first acknowledgement
-- of a message that the subscription has not reached.
-- unrecorded: messages received of transactions without a row; one row per producer.
-- first_place: partition@offset of the first message received of it.
-- long: every kind compares the same transactions with the same messages, which are read once.
WITH
    (
        SELECT (reads_committed, arrayMap((name, groups) -> (name, toUInt64(groups)), topics, topic_groups))
        FROM v_run_plan(run_id = {run_id:String})
    ) AS plan,
    -- Consumers stopped before the end of the log: then what is missing there was not read.
    (
        SELECT count() > 0 FROM v_runs WHERE run_id = {run_id:String} AND state IN ('failed', 'interrupted')
    ) OR (
        SELECT count() > 0 FROM v_run_events
        WHERE run_id = {run_id:String} AND kind = 'error' AND name = 'not_drained'
    ) OR (
        SELECT count() > 0 FROM v_ledger WHERE run_id = {run_id:String} AND kind = 'lost' AND reason = 'killed'
    ) AS cut_short,
    ended AS
    (
        SELECT producer, topic, number, first_sequence, messages, acked, outcome, end_time
        FROM v_transactions
        WHERE run_id = {run_id:String} AND producer % {slices:UInt32} = {slice:UInt32}
    ),
    received AS
    (
        SELECT subscription, producer, toUInt64(sequence) AS sequence, partition, offset
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND producer % {slices:UInt32} = {slice:UInt32}
            AND producer < 4294967295 -- the number of other programs' messages
            AND sequence >= 0 AND (SELECT count() FROM v_transactions WHERE run_id = {run_id:String}) > 0
    ),
    -- Per subscription, the first acknowledgement of a message beyond the last one it received from the partition.
    (
        SELECT mapFromArrays(groupArray(subscription), groupArray(since))
        FROM
        (
            SELECT r.subscription AS subscription, min(p.ack_time) AS since
            FROM v_publishes AS p
            INNER JOIN
            (
                SELECT topic, partition, subscription, max(offset) AS last
                FROM v_deliveries
                WHERE run_id = {run_id:String} AND cut_short
                GROUP BY topic, partition, subscription
            ) AS r ON r.topic = p.topic AND r.partition = p.partition
            WHERE p.run_id = {run_id:String} AND cut_short AND p.offset > r.last
            GROUP BY subscription
        )
    ) AS unread_since
SELECT
    subscription,
    kind,
    count() AS transactions,
    sum(size) AS messages,
    sum(got) AS received,
    argMin(maker, order_by) AS first_producer,
    argMin(nth, order_by) AS first_number,
    argMin(start, order_by) AS first_sequence,
    argMin(size, order_by) AS first_messages,
    argMin(got, order_by) AS first_received,
    argMin(how, order_by) AS first_outcome,
    argMin(seen, order_by) AS first_place,
    argMin(ended_at, order_by) AS first_time
FROM
(
    SELECT
        *,
        (ended_at, maker, nth) AS order_by,
        -- What one subscription received whole was committed for all.
        max(got >= size AND plan.1) OVER (PARTITION BY maker, nth) AS known_committed,
        cut_short AND (how = 'in_doubt' OR mapContains(unread_since, subscription)
            AND ended_at >= unread_since[subscription]) AS maybe_unread,
        multiIf(
            is_recorded = 0, 'unrecorded',
            how = 'aborted', if(plan.1, 'aborted_read', 'aborted_read_uncommitted'),
            how = 'in_doubt' AND NOT plan.1, 'in_doubt_uncommitted_read',
            how = 'in_doubt' AND got >= size, 'in_doubt_committed',
            maybe_unread AND (got > 0 OR known_committed OR how = 'committed'), 'unread',
            got > 0, 'torn',
            how = 'in_doubt' AND NOT known_committed, 'in_doubt_aborted',
            'committed_lost') AS kind
    FROM
    (
        SELECT
            subscription,
            maker,
            nth,
            max(recorded_row) AS is_recorded,
            max(whole) AS size,
            max(begin) AS start,
            max(result) AS how,
            max(at) AS ended_at,
            -- A transaction without a row may have more messages than fit into memory as a set.
            if(is_recorded, uniqExactIf(message, is_received), countIf(is_received)) AS got,
            if(got > 0, argMinIf(place, message, is_received), '') AS seen
        FROM
        (
            SELECT toUInt16(arrayJoin(range(plan.2[indexOf(plan.2.1, toString(topic))].2))) AS subscription,
                producer AS maker, number AS nth, 1 AS recorded_row,
                if(outcome = 'committed', acked, messages) AS whole, first_sequence AS begin,
                toString(outcome) AS result, end_time AS at, toUInt64(0) AS message, '' AS place, 0 AS is_received
            FROM ended
            UNION ALL
            SELECT r.subscription AS subscription, r.producer AS maker,
                if(r.sequence < e.first_sequence + e.messages, e.number, toUInt64(-1)) AS nth, 0 AS recorded_row,
                toUInt32(0) AS whole, toUInt64(0) AS begin, '' AS result, toDateTime64(0, 6, 'UTC') AS at,
                r.sequence AS message, concat(toString(r.partition), '@', toString(r.offset)) AS place,
                1 AS is_received
            FROM received AS r
            ASOF LEFT JOIN ended AS e ON r.producer = e.producer AND r.sequence >= e.first_sequence
        )
        GROUP BY subscription, maker, nth
        HAVING how = 'in_doubt' OR is_recorded = 0 OR how = 'committed' AND got < size OR how = 'aborted' AND got > 0
    )
)
GROUP BY subscription, kind
ORDER BY subscription, kind
