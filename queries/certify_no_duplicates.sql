-- SPDX-License-Identifier: Apache-2.0
-- name: certify_no_duplicates
-- purpose: Whether each message of an idempotent producer is in the log once.
-- param run_id String: run to read
-- returns kind String, messages UInt64, example String
-- checked: acknowledged messages. duplicate: messages that were received or acknowledged at two or more places.
-- allowed_unacknowledged: in the log once, without an acknowledgement: its send failed, or its outcome is unknown.
-- example: the first by its intended send.
-- A message is identified by producer, intended send and tie. Ranges of 4,096 offsets are compared by a hash; a
-- duplicate has an offset that no acknowledgement names, so its range differs.
-- long: what was received is compared with what was acknowledged, and what differs is looked up again.
WITH
    -- An array: it is computed once.
    (
        SELECT groupArray((toString(topic), partition, range))
        FROM
        (
            SELECT
                topic, partition, range,
                (sumIf(messages, is_ack), sumIf(hash, is_ack)) AS acked,
                groupArrayIf((messages, hash), NOT is_ack) AS got
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
                WHERE run_id = {run_id:String} AND producer < 4294967295 -- the number of other programs' messages
                GROUP BY topic, partition, range, reader
            )
            GROUP BY topic, partition, range
        )
        WHERE arrayExists(each -> each != acked, got)
    ) AS differing,
    -- Received at an offset that no acknowledgement names.
    (
        SELECT groupArray((producer, intended_time))
        FROM
        (
            SELECT topic, partition, offset, producer, intended_time, max(is_ack) AS acked
            FROM
            (
                SELECT topic, partition, offset, producer, intended_time, 1 AS is_ack
                FROM v_publishes
                WHERE run_id = {run_id:String} AND length(differing) > 0
                    AND (topic, partition, bitShiftRight(offset, 12)) IN (
                        SELECT each.1, each.2, each.3 FROM (SELECT arrayJoin(differing) AS each)
                    )
                UNION ALL
                SELECT topic, partition, offset, producer, intended_time, 0 AS is_ack
                FROM v_deliveries
                WHERE run_id = {run_id:String} AND length(differing) > 0
                    AND (topic, partition, bitShiftRight(offset, 12)) IN (
                        SELECT each.1, each.2, each.3 FROM (SELECT arrayJoin(differing) AS each)
                    )
                    AND producer < 4294967295
            )
            GROUP BY topic, partition, offset, producer, intended_time
        )
        WHERE NOT acked
    ) AS suspects
SELECT kind, sum(found) AS messages, argMin(place, (found = 0, at)) AS example
FROM
(
    SELECT 'checked' AS kind, count() AS found, '' AS place, toDateTime64(0, 6, 'UTC') AS at
    FROM v_publishes
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT if(length(places) > 1, 'duplicate', 'allowed_unacknowledged') AS kind, count() AS found,
        argMin(format('producer {}, intended send {} UTC, tie {}, at {}', toString(producer), toString(intended_time),
            toString(tie), arrayStringConcat(arrayMap(p -> format('{}/{}@{}', p.1, toString(p.2), toString(p.3)),
                arraySort(places)), ' and ')), (intended_time, producer, tie)) AS place,
        min(intended_time) AS at
    FROM
    (
        SELECT producer, intended_time, tie, groupUniqArray((toString(topic), partition, offset)) AS places,
            max((producer, intended_time, topic, partition, offset) IN (
                SELECT producer, intended_time, topic, partition, offset
                FROM v_publishes
                WHERE run_id = {run_id:String} AND length(suspects) > 0
                    AND (producer, intended_time) IN (SELECT each.1, each.2 FROM (SELECT arrayJoin(suspects) AS each))
            )) AS acked
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND length(suspects) > 0 AND producer < 4294967295
            AND (producer, intended_time) IN (SELECT each.1, each.2 FROM (SELECT arrayJoin(suspects) AS each))
        GROUP BY producer, intended_time, tie
        -- Of messages with equal intended sends, one may be a duplicate and the other not.
        HAVING length(places) > 1 OR NOT acked
    )
    GROUP BY kind
)
GROUP BY kind
ORDER BY kind
