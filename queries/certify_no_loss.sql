-- SPDX-License-Identifier: Apache-2.0
-- name: certify_no_loss
-- purpose: Whether every acknowledged message is in its log after the run and was received by every subscription.
-- param run_id String: run to read
-- returns kind String, messages UInt64, example String
-- checked: acknowledged messages. not_received: counted once per subscription that did not receive the message as it
-- was acknowledged, at its offset. lost_from_log: a re-read of the logs after the run did not find it;
-- untested_not_reread: the re-read did not reach its offset. example: the first by its intended send.
-- damaged_in_log: read again, and its bytes differ from those that were sent; as the load generator found it.
-- Ranges of 4,096 offsets are compared by a hash; single messages only in ranges that differ.
-- long: each kind is another comparison of the same messages.
WITH
    (
        SELECT arrayMap((name, groups) -> (name, toUInt64(groups)), topics, topic_groups)
        FROM v_run_plan(run_id = {run_id:String})
    ) AS planned,
    (SELECT groupArray((topic, partition, gap.1, gap.2)) FROM v_run_rereads(run_id = {run_id:String})
        ARRAY JOIN gaps AS gap) AS gaps,
    -- Partitions with an acknowledged message outside of the offsets that were read again, and those offsets.
    (
        SELECT groupArray((p.topic, p.partition, r.first, r.last))
        FROM
        (
            SELECT topic, partition, min(offset) AS low, max(offset) AS high
            FROM v_publishes
            WHERE run_id = {run_id:String}
            GROUP BY topic, partition
        ) AS p
        LEFT JOIN
        (
            SELECT topic, partition, min(first_offset) AS first, max(end_offset) AS last
            FROM v_run_rereads(run_id = {run_id:String})
            GROUP BY topic, partition
            HAVING sum(end_offset - first_offset) = last - first -- the ranges leave nothing out
        ) AS r ON r.topic = p.topic AND r.partition = p.partition
        WHERE p.low < r.first OR p.high >= r.last
    ) AS unread,
    -- An array: it is computed once.
    (
        SELECT groupArray((toString(topic), partition, range))
        FROM
        (
            SELECT
                topic, partition, range,
                (sumIf(messages, is_ack), sumIf(hash, is_ack)) AS acked,
                mapFromArrays(groupArrayIf(reader, NOT is_ack), groupArrayIf((messages, hash), NOT is_ack)) AS got
            FROM
            (
                SELECT topic, partition, bitShiftRight(offset, 12) AS range, toUInt16(0) AS reader, 1 AS is_ack,
                    count() AS messages, sum(cityHash64(offset, producer, intended_time)) AS hash
                FROM v_publishes
                WHERE run_id = {run_id:String}
                GROUP BY topic, partition, range
                UNION ALL
                SELECT topic, partition, bitShiftRight(offset, 12) AS range, subscription AS reader, 0 AS is_ack,
                    count() AS messages, sum(cityHash64(offset, producer, intended_time)) AS hash
                FROM v_deliveries
                WHERE run_id = {run_id:String}
                GROUP BY topic, partition, range, reader
            )
            GROUP BY topic, partition, range
        )
        WHERE acked.1 > 0 AND arrayExists(reader -> got[toUInt16(reader)] != acked,
            range(planned[indexOf(planned.1, toString(topic))].2))
    ) AS differing
SELECT kind, sum(found) AS messages, argMin(place, (found = 0, at)) AS example
FROM
(
    SELECT 'checked' AS kind, count() AS found, '' AS place, toDateTime64(0, 6, 'UTC') AS at
    FROM v_publishes
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT 'damaged_in_log' AS kind, sum(length(corrupt)) AS found,
        argMinIf(format('{}/{}@{}', topic, toString(partition), toString(corrupt[1])), (topic, partition, first_offset),
            length(corrupt) > 0) AS place, toDateTime64(0, 6, 'UTC') AS at
    FROM v_run_rereads(run_id = {run_id:String})
    HAVING found > 0
    UNION ALL
    SELECT
        bad AS kind,
        sum(missed) AS found,
        argMin(format('producer {}, intended send {} UTC, {}/{}@{}{}', toString(producer), toString(intended_time),
            topic, toString(partition), toString(offset), note), intended_time) AS place,
        min(intended_time) AS at
    FROM
    (
        SELECT 'not_received' AS bad, topic, partition, offset, producer, intended_time,
            arrayFilter(reader -> NOT has(groupUniqArrayIf(subscription, NOT is_ack), reader),
                range(planned[indexOf(planned.1, toString(topic))].2)) AS without,
            length(without) AS missed,
            format(', not received by subscription {}', arrayStringConcat(without, ', ')) AS note
        FROM
        (
            SELECT toString(topic) AS topic, partition, offset, producer, intended_time, toUInt16(0) AS subscription,
                1 AS is_ack
            FROM v_publishes
            WHERE run_id = {run_id:String} AND length(differing) > 0
                AND (topic, partition, bitShiftRight(offset, 12)) IN (
                    SELECT each.1, each.2, each.3 FROM (SELECT arrayJoin(differing) AS each)
                )
            UNION ALL
            SELECT toString(topic) AS topic, partition, offset, producer, intended_time, subscription, 0 AS is_ack
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND length(differing) > 0
                AND (topic, partition, bitShiftRight(offset, 12)) IN (
                    SELECT each.1, each.2, each.3 FROM (SELECT arrayJoin(differing) AS each)
                )
        )
        GROUP BY topic, partition, offset, producer, intended_time
        HAVING max(is_ack) AND missed > 0
        UNION ALL
        SELECT 'lost_from_log' AS bad, toString(topic) AS topic, partition, offset, producer, intended_time,
            [] AS without, 1 AS missed, '' AS note
        FROM v_publishes
        WHERE run_id = {run_id:String} AND length(gaps) > 0
            AND arrayExists(gap -> gap.1 = topic AND gap.2 = partition AND offset BETWEEN gap.3 AND gap.4, gaps)
        UNION ALL
        SELECT 'untested_not_reread' AS bad, toString(topic) AS topic, partition, offset, producer, intended_time,
            [] AS without, 1 AS missed, '' AS note
        FROM v_publishes
        WHERE run_id = {run_id:String} AND length(unread) > 0
            AND arrayExists(u -> u.1 = topic AND u.2 = partition AND (offset < u.3 OR offset >= u.4), unread)
    )
    GROUP BY bad
)
GROUP BY kind
ORDER BY kind
