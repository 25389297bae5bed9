-- SPDX-License-Identifier: Apache-2.0
-- name: certify_share_redelivery
-- purpose: Of a run with share groups that release some messages (releaseRatio): whether each message was accepted
--     once, and each that was not accepted was delivered again with a higher delivery count.
-- param run_id String: run to read
-- returns kind String, messages UInt64, example String
-- checked: acknowledged messages, once for each subscription; 0 where no message was released.
-- lost: acknowledged by the broker, and never delivered, or not again after its last release.
-- count_not_growing: delivered again without a higher delivery count.
-- redelivered_after_accept: delivered again although the broker had confirmed that it was accepted.
-- allowed_unconfirmed: delivered again after an acceptance that the broker did not confirm.
-- allowed_count_kept: the count did not grow, and the partition's leader changed: what members hold is in its memory.
-- allowed_redelivered: delivered again after a release, with a higher count.
-- example: the first message by offset.
-- A member waits for the confirmation before it receives more, so what it received before its last batch is confirmed,
-- unless an event states otherwise. Messages are compared one by one only if a member answered for them otherwise than
-- by an acceptance, or in ranges of 4,096 offsets that differ.
-- long: each kind is another comparison of the same deliveries.
WITH
    (SELECT mapFromArrays(topics, topic_groups) FROM v_run_plan(run_id = {run_id:String})) AS groups,
    answers AS
    (
        SELECT time, toString(name) AS name, JSONExtract(detail, 'consumer', 'UInt32') AS consumer,
            JSONExtract(detail, 'subscription', 'UInt16') AS subscription, JSONExtractString(detail, 'topic') AS topic,
            JSONExtract(detail, 'partition', 'Int32') AS partition, JSONExtractInt(detail, 'offset') AS offset,
            JSONExtractUInt(detail, 'count') AS nth
        FROM v_run_events
        WHERE run_id = {run_id:String} AND kind = 'share'
    ),
    (SELECT mapFromArrays(groupArray(consumer), groupArray(last)) FROM
        (SELECT consumer, max(receive_time) AS last FROM v_deliveries WHERE run_id = {run_id:String} GROUP BY consumer)
    ) AS last_batch,
    changes AS
    (
        SELECT topic, partition, groupArray(time) AS times
        FROM v_partition_leaders
        WHERE run_id = {run_id:String}
        GROUP BY topic, partition
    ),
    sent AS
    (
        SELECT toString(topic) AS topic, partition, offset, toUInt16(arrayJoin(range(groups[topic]))) AS subscription
        FROM v_publishes
        WHERE run_id = {run_id:String}
    ),
    -- Ranges where more or fewer messages were delivered than were sent and released. An array: it is computed once.
    (
        SELECT groupArray((subscription, topic, partition, stretch))
        FROM
        (
            SELECT subscription, topic, partition, stretch
            FROM
            (
                SELECT subscription, topic, partition, bitShiftRight(offset, 12) AS stretch,
                    toInt64(count()) AS messages, toInt64(sum(cityHash64(offset))) AS hash
                FROM sent
                GROUP BY subscription, topic, partition, stretch
                UNION ALL
                SELECT subscription, toString(topic) AS topic, partition, bitShiftRight(offset, 12) AS stretch,
                    -toInt64(count()) AS messages, -toInt64(sum(cityHash64(offset))) AS hash
                FROM v_deliveries
                WHERE run_id = {run_id:String} AND producer < 4294967295
                GROUP BY subscription, topic, partition, stretch
                UNION ALL
                SELECT subscription, topic, partition, bitShiftRight(offset, 12) AS stretch,
                    toInt64(count()) AS messages, toInt64(sum(cityHash64(offset))) AS hash
                FROM answers
                WHERE name = 'released'
                GROUP BY subscription, topic, partition, stretch
            )
            GROUP BY subscription, topic, partition, stretch
            HAVING sum(messages) != 0 OR sum(hash) != 0
        )
    ) AS differing,
    histories AS
    (
        SELECT
            subscription, topic, partition, offset,
            max(is_sent) AS acked,
            arraySort(groupArrayIf((time, consumer), what = 'delivered')) AS got,
            groupArrayIf((time, consumer), what = 'released') AS released,
            groupArrayIf((time, consumer), what = 'unconfirmed') AS unconfirmed,
            arrayMap(each -> each.2, arraySort(groupArrayIf((time, nth), what = 'redelivered'))) AS counts
        FROM
        (
            SELECT subscription, topic, partition, offset, 1 AS is_sent, '' AS what, toDateTime64(0, 6, 'UTC') AS time,
                toUInt32(0) AS consumer, toUInt64(0) AS nth
            FROM sent
            WHERE (offset IN (SELECT offset FROM answers)
                    AND (subscription, topic, partition, offset) IN (
                        SELECT subscription, topic, partition, offset FROM answers
                    ))
                OR (length(differing) > 0 AND (subscription, topic, partition, bitShiftRight(offset, 12)) IN (
                        SELECT each.1, each.2, each.3, each.4 FROM (SELECT arrayJoin(differing) AS each)
                    ))
            UNION ALL
            SELECT subscription, toString(topic) AS topic, partition, offset, 0 AS is_sent, 'delivered' AS what,
                receive_time AS time, consumer, toUInt64(0) AS nth
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND producer < 4294967295
                AND (
                    (offset IN (SELECT offset FROM answers)
                        AND (subscription, toString(topic), partition, offset) IN (
                            SELECT subscription, topic, partition, offset FROM answers
                        ))
                    OR (length(differing) > 0
                        AND (subscription, toString(topic), partition, bitShiftRight(offset, 12)) IN (
                            SELECT each.1, each.2, each.3, each.4 FROM (SELECT arrayJoin(differing) AS each)
                        ))
                )
            UNION ALL
            SELECT subscription, topic, partition, offset, 0 AS is_sent, name AS what, time, consumer, nth
            FROM answers
        )
        GROUP BY subscription, topic, partition, offset
    ),
    judged AS
    (
        SELECT
            h.subscription AS subscription, h.topic AS topic, h.partition AS partition, h.offset AS offset,
            h.got AS got, h.counts AS counts, length(h.released) AS releases,
            -- Of each delivery: when the next one was; whether it was released; whether its acceptance was confirmed.
            arrayMap(n -> if(n < length(got), got[n + 1].1, toDateTime64('2200-01-01', 6, 'UTC')),
                arrayEnumerate(got)) AS nexts,
            arrayMap((d, next) -> arrayExists(r -> r.2 = d.2 AND r.1 >= d.1 - toIntervalMillisecond(100)
                AND r.1 < next, h.released), got, nexts) AS gave_back,
            arrayMap((d, next) -> d.1 < last_batch[d.2]
                AND NOT arrayExists(u -> u.2 = d.2 AND u.1 >= d.1 AND u.1 < next + toIntervalSecond(60),
                h.unconfirmed), got, nexts) AS confirmed,
            arrayCount((back, sure, n) -> NOT back AND sure AND n < length(got), gave_back, confirmed,
                arrayEnumerate(got)) AS after_accept,
            arrayCount((back, sure, n) -> NOT back AND NOT sure AND n < length(got), gave_back, confirmed,
                arrayEnumerate(got)) AS after_doubt,
            arrayExists(n -> counts[n] <= if(n = 1, 1, counts[n - 1]), arrayEnumerate(counts))
                OR length(got) > length(counts) + 1 AS kept,
            arrayExists(t -> t > got[1].1 - toIntervalSecond(1) AND t < got[-1].1 + toIntervalSecond(10), c.times)
                AS moved,
            arrayJoin([
                ('lost', toUInt8(h.acked AND (empty(got) OR gave_back[-1]))),
                ('redelivered_after_accept', toUInt8(after_accept > 0)),
                ('allowed_unconfirmed', toUInt8(after_doubt > 0)),
                ('count_not_growing', toUInt8(kept AND NOT moved)),
                ('allowed_count_kept', toUInt8(kept AND moved)),
                ('allowed_redelivered', toUInt8(length(got) > 1 AND NOT kept AND after_accept + after_doubt = 0))
            ]) AS each
        FROM histories AS h
        LEFT JOIN changes AS c ON toString(c.topic) = h.topic AND c.partition = h.partition
    )
SELECT 'checked' AS kind, if((SELECT count() FROM answers WHERE name = 'released') = 0, 0, count()) AS messages,
    '' AS example
FROM sent
UNION ALL
SELECT
    each.1 AS kind,
    count() AS messages,
    argMin(
        concat(topic, '/', toString(partition), '@', toString(offset), ', subscription ', toString(subscription),
            ': delivered ', toString(length(got)), ' times, released ', toString(releases), ', counts from 2 on [',
            arrayStringConcat(arrayMap(c -> toString(c), counts), ', '), ']',
            if(empty(got), '', concat(', first received ', toString(got[1].1), ' UTC'))),
        (offset, topic, partition)) AS example
FROM judged
WHERE each.2
GROUP BY kind
ORDER BY kind
