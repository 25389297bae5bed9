-- SPDX-License-Identifier: Apache-2.0
-- name: certify_no_duplicates
-- purpose: Whether each message of an idempotent producer is in the log once: by what was received, and by the growth
--     of the logs.
-- param run_id String: run to read
-- returns kind String, messages UInt64, example String
-- checked: acknowledged messages. duplicate: messages that were received or acknowledged at two or more places.
-- allowed_unacknowledged: in the log once, without an acknowledgement: its send failed, or its outcome is unknown.
-- not_received: offsets of the logs that are neither acknowledged nor received, more than sends failed: second copies
-- that no group received. untested_not_received: as many as failed sends explain. untested_unread: acknowledged, and no
-- group received them at their offset. untested_log_unknown: acknowledged messages of partitions whose logs' ends no
-- broker stated. example: the first by its intended send; of offsets, the first partition with some.
-- A message is identified by producer, intended send and tie. Acknowledgements have no tie: one whose place was not
-- received belongs to a message of the same producer and intended send that was received elsewhere and did not fail.
-- Ranges of 4,096 offsets are compared by a hash; a duplicate has an offset that no acknowledgement names, so its range
-- differs.
-- long: what was received is compared with what was acknowledged, what differs is looked up again, and both with the
--     logs.
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
        WHERE empty(got) OR arrayExists(each -> each != acked, got)
    ) AS differing,
    -- What was received at an offset that no acknowledgement names; what was acknowledged and received by no group.
    (
        SELECT (
            groupArrayIf((topic, partition, offset, producer, intended_time), NOT acked),
            countIf(acked AND NOT received),
            argMinIf(format('producer {}, intended send {} UTC, {}/{}@{}', toString(producer),
                toString(intended_time), topic, toString(partition), toString(offset)), (intended_time, producer),
                acked AND NOT received))
        FROM
        (
            SELECT topic, partition, offset, producer, intended_time, max(is_ack) AS acked, min(is_ack) = 0 AS received
            FROM
            (
                SELECT toString(topic) AS topic, partition, offset, producer, intended_time, 1 AS is_ack
                FROM v_publishes
                WHERE run_id = {run_id:String} AND length(differing) > 0
                    AND (topic, partition, bitShiftRight(offset, 12)) IN (
                        SELECT each.1, each.2, each.3 FROM (SELECT arrayJoin(differing) AS each)
                    )
                UNION ALL
                SELECT toString(topic) AS topic, partition, offset, producer, intended_time, 0 AS is_ack
                FROM v_deliveries
                WHERE run_id = {run_id:String} AND length(differing) > 0
                    AND (topic, partition, bitShiftRight(offset, 12)) IN (
                        SELECT each.1, each.2, each.3 FROM (SELECT arrayJoin(differing) AS each)
                    )
                    AND producer < 4294967295
            )
            GROUP BY topic, partition, offset, producer, intended_time
        )
    ) AS compared,
    compared.1 AS unacknowledged,
    arrayMap(each -> (each.4, each.5), unacknowledged) AS suspects,
    logs AS
    (
        SELECT topic, partition, sum(acked_here) AS acked, max(ended_here) AS ended,
            sum(growth_here) - acked - sum(foreign_here) AS others,
            -- A failed send that is in the log was received, or is one of those that were not.
            greatest(0, sum(unacked_here) - sum(failed_here)) AS failed_elsewhere,
            others - sum(failed_here) - failed_elsewhere AS surplus, others - sum(unacked_here) AS unread
        FROM
        (
            SELECT topic, partition, toInt64(0) AS acked_here, toInt64(log_end - first_offset) AS growth_here,
                toInt64(0) AS unacked_here, toInt64(0) AS failed_here, toInt64(0) AS foreign_here,
                toUInt8(1) AS ended_here
            FROM v_run_logs(run_id = {run_id:String})
            WHERE ended
            UNION ALL
            SELECT toString(topic) AS topic, partition, toInt64(count()), 0, 0, 0, 0, 0
            FROM v_publishes
            WHERE run_id = {run_id:String}
            GROUP BY topic, partition
            UNION ALL
            SELECT place.1 AS topic, place.2 AS partition, 0, 0, toInt64(uniqExact(place.3)), 0, 0, 0
            FROM (SELECT arrayJoin(unacknowledged) AS place)
            GROUP BY topic, partition
            UNION ALL
            SELECT toString(topic) AS topic, partition, 0, 0, 0, toInt64(count()), 0, 0
            FROM v_publish_failures
            WHERE run_id = {run_id:String} AND partition >= 0
            GROUP BY topic, partition
            UNION ALL
            SELECT toString(topic) AS topic, partition, 0, 0, 0, 0, toInt64(uniqExact(offset)), 0
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND producer = 4294967295
            GROUP BY topic, partition
        )
        GROUP BY topic, partition
    ),
    (SELECT count() FROM v_publish_failures WHERE run_id = {run_id:String} AND partition < 0) AS failed_anywhere
SELECT kind, sum(found) AS messages, argMin(place, (found = 0, at)) AS example
FROM
(
    SELECT 'checked' AS kind, count() AS found, '' AS place, toDateTime64(0, 6, 'UTC') AS at
    FROM v_publishes
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT 'untested_unread' AS kind, assumeNotNull(compared.2) AS found, assumeNotNull(compared.3) AS place,
        toDateTime64(0, 6, 'UTC') AS at
    WHERE compared.2 > 0
    UNION ALL
    SELECT each.1 AS kind, count() AS found,
        argMin(format('producer {}, intended send {} UTC, tie {}, at {}', toString(producer), toString(intended_time),
            toString(each.2), arrayStringConcat(arrayMap(p -> format('{}/{}@{}', p.1, toString(p.2), toString(p.3)),
                arraySort(each.3)), ' and ')), (intended_time, producer, each.2)) AS place,
        min(intended_time) AS at
    FROM
    (
        SELECT
            producer, intended_time,
            arraySort(groupUniqArrayIf(spot, what = 'acked')) AS acked,
            groupUniqArrayIf(tie, what = 'failed') AS failed,
            arraySort(groupUniqArrayIf((tie, spot), what = 'received')) AS got,
            arrayMap(t -> (t, arrayMap(g -> g.2, arrayFilter(g -> g.1 = t, got))), arrayDistinct(got.1)) AS messages,
            -- In the log once, and not where an acknowledgement is.
            arrayFilter(m -> length(m.2) = 1 AND NOT has(acked, m.2[1]), messages) AS elsewhere,
            arrayFilter(m -> NOT has(failed, m.1), elsewhere) AS moved,
            arrayFilter(a -> NOT has(got.2, a), acked) AS unread,
            least(length(moved), length(unread)) AS pairs,
            arraySlice(moved, 1, pairs) AS twice,
            arrayJoin(arrayConcat(
                arrayMap(m -> ('duplicate', m.1, m.2), arrayFilter(m -> length(m.2) > 1, messages)),
                arrayMap((m, a) -> ('duplicate', m.1, arrayPushBack(m.2, a)), twice, arraySlice(unread, 1, pairs)),
                arrayMap(m -> ('allowed_unacknowledged', m.1, m.2), arrayFilter(m -> NOT has(twice, m), elsewhere))
            )) AS each
        FROM
        (
            SELECT 'acked' AS what, producer, intended_time, toUInt32(0) AS tie,
                (toString(topic), partition, offset) AS spot
            FROM v_publishes
            WHERE run_id = {run_id:String} AND length(suspects) > 0
                AND (producer, intended_time) IN (SELECT each.1, each.2 FROM (SELECT arrayJoin(suspects) AS each))
            UNION ALL
            SELECT 'received' AS what, producer, intended_time, tie, (toString(topic), partition, offset) AS spot
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND length(suspects) > 0 AND producer < 4294967295
                AND (producer, intended_time) IN (SELECT each.1, each.2 FROM (SELECT arrayJoin(suspects) AS each))
            UNION ALL
            SELECT 'failed' AS what, producer, intended_time, tie, (toString(topic), partition, toInt64(-1)) AS spot
            FROM v_publish_failures
            WHERE run_id = {run_id:String} AND length(suspects) > 0
                AND (producer, intended_time) IN (SELECT each.1, each.2 FROM (SELECT arrayJoin(suspects) AS each))
        )
        GROUP BY producer, intended_time
    )
    GROUP BY kind
    UNION ALL
    SELECT if(sumIf(surplus, surplus > 0) > greatest(0, toInt64(failed_anywhere) - sum(failed_elsewhere)),
            'not_received', 'untested_not_received') AS kind,
        toUInt64(sumIf(unread, unread > 0)) AS found,
        argMinIf(format('{}/{}: {} offsets are neither acknowledged nor received', topic, toString(partition),
            toString(unread)), (surplus <= 0, topic, partition), unread > 0) AS place,
        toDateTime64(0, 6, 'UTC') AS at
    FROM logs
    WHERE ended
    HAVING found > 0
    UNION ALL
    SELECT 'untested_log_unknown' AS kind, toUInt64(sum(acked)) AS found,
        argMin(format('{}/{}', topic, toString(partition)), (topic, partition)) AS place,
        toDateTime64(0, 6, 'UTC') AS at
    FROM logs
    WHERE NOT ended AND acked > 0
    HAVING found > 0
)
GROUP BY kind
ORDER BY kind
