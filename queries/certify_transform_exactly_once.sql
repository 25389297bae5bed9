-- SPDX-License-Identifier: Apache-2.0
-- name: certify_transform_exactly_once
-- purpose: Of a run whose messages another program copies from topic to topic: whether each acknowledged message of a
--     topic was received from its copy exactly once.
-- param run_id String: run to read
-- returns kind String, messages UInt64, example String
-- checked: acknowledged messages, once for each subscription of a copy.
-- lost: acknowledged, never received. duplicated: at several offsets of the copy; those after the first count.
-- unexplained: received, neither acknowledged nor failed. allowed_unacknowledged: received although its send failed.
-- allowed_redelivered: one offset of the copy that a subscription received again, since it commits at least once.
-- example: the first message by intended send.
-- Cells of one producer and one second are compared by count and hash. Messages are compared one by one only in cells
-- that differ, or where messages share their producer and intended send, which the hash does not tell apart.
-- long: the cells and the messages in them are two passes over the same rows.
WITH
    (SELECT planned_topics FROM v_run_plan(run_id = {run_id:String})) AS planned,
    (SELECT mapFromArrays(topics, topic_groups) FROM v_run_plan(run_id = {run_id:String})) AS groups,
    -- (source, copy, subscription)
    arrayFlatten(arrayMap(
        topic -> arrayMap(
            group -> (JSONExtractString(topic, 'copy_of'), JSONExtractString(topic, 'name'), toUInt16(group)),
            range(groups[JSONExtractString(topic, 'name')])),
        arrayFilter(topic -> JSONHas(topic, 'copy_of'), planned))) AS readers,
    arrayMap(each -> each.1, readers) AS sources,
    arrayMap(each -> each.2, readers) AS copies,
    published AS
    (
        SELECT reader.2 AS copy, reader.3 AS subscription, producer, intended_time
        FROM v_publishes
        ARRAY JOIN arrayFilter(each -> each.1 = topic, readers) AS reader
        WHERE run_id = {run_id:String} AND has(sources, toString(topic))
    ),
    received AS
    (
        SELECT toString(topic) AS copy, subscription, producer, intended_time, tie, partition, offset, sequence
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND has(copies, toString(topic)) AND producer < 4294967295
    ),
    -- An array: it is computed once.
    (
        SELECT groupArray((copy, subscription, producer, second))
        FROM
        (
            SELECT copy, subscription, producer, second
            FROM
            (
                SELECT copy, subscription, producer, toUnixTimestamp(intended_time) AS second, count() AS messages,
                    sum(cityHash64(intended_time)) AS hash, 0 AS got, 0 AS got_hash,
                    toInt64(count() - uniqExact(intended_time)) AS ties
                FROM published
                GROUP BY copy, subscription, producer, second
                UNION ALL
                SELECT copy, subscription, producer, toUnixTimestamp(intended_time) AS second, 0 AS messages,
                    0 AS hash, count() AS got, sum(cityHash64(intended_time)) AS got_hash, toInt64(sum(tie)) AS ties
                FROM received
                GROUP BY copy, subscription, producer, second
            )
            GROUP BY copy, subscription, producer, second
            HAVING sum(messages) != sum(got) OR sum(hash) != sum(got_hash) OR sum(ties) > 0
        )
    ) AS suspects,
    failed AS
    (
        SELECT producer, intended_time, groupUniqArray(tie) AS ties
        FROM v_publish_failures
        WHERE run_id = {run_id:String} AND has(sources, toString(topic))
        GROUP BY producer, intended_time
    ),
    compared AS
    (
        SELECT
            producer,
            intended_time,
            sum(is_acked) AS acked,
            groupUniqArrayIf((tie, place), NOT is_acked) AS found,
            arrayDistinct(arrayMap(each -> each.1, found)) AS ties,
            countIf(NOT is_acked) AS rows_received,
            max(kept_sequence) AS sequence
        FROM
        (
            SELECT copy, subscription, producer, intended_time, 1 AS is_acked, 0 AS tie, '' AS place,
                toInt64(-1) AS kept_sequence
            FROM published
            WHERE length(suspects) > 0
                AND (copy, subscription, producer, toUnixTimestamp(intended_time)) IN (
                    SELECT each.1, each.2, each.3, each.4 FROM (SELECT arrayJoin(suspects) AS each)
                )
            UNION ALL
            SELECT copy, subscription, producer, intended_time, 0 AS is_acked, tie,
                concat(toString(partition), '@', toString(offset)) AS place, sequence AS kept_sequence
            FROM received
            WHERE length(suspects) > 0
                AND (copy, subscription, producer, toUnixTimestamp(intended_time)) IN (
                    SELECT each.1, each.2, each.3, each.4 FROM (SELECT arrayJoin(suspects) AS each)
                )
        )
        GROUP BY copy, subscription, producer, intended_time
    ),
    judged AS
    (
        SELECT
            c.producer AS producer,
            c.intended_time AS intended_time,
            c.sequence AS sequence,
            arraySort(arrayMap(each -> each.2, c.found)) AS places,
            length(arrayFilter(t -> has(f.ties, t), c.ties)) AS of_failed,
            toInt64(length(c.ties)) - of_failed AS of_acked,
            arrayJoin([
                ('lost', toInt64(c.acked) - of_acked),
                ('duplicated', toInt64(length(c.found)) - length(c.ties)),
                ('unexplained', of_acked - toInt64(c.acked)),
                ('allowed_unacknowledged', toInt64(of_failed)),
                ('allowed_redelivered', toInt64(c.rows_received) - length(c.found))]) AS each
        FROM compared AS c
        LEFT JOIN failed AS f ON f.producer = c.producer AND f.intended_time = c.intended_time
    )
SELECT 'checked' AS kind, count() AS messages, '' AS example
FROM published
UNION ALL
SELECT
    each.1 AS kind,
    toUInt64(sum(each.2)) AS messages,
    argMin(
        concat('producer ', toString(producer), if(sequence < 0, '', concat(' sequence ', toString(sequence))),
            ', intended ', toString(intended_time), ' UTC',
            if(empty(places), '', concat(', at ', arrayStringConcat(places, ' and ')))),
        (intended_time, producer)) AS example
FROM judged
WHERE each.2 > 0
GROUP BY kind
ORDER BY kind
