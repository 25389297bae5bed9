-- SPDX-License-Identifier: Apache-2.0
-- name: audit_reread
-- purpose: What a re-read of one partition's log found, beside the messages that were acknowledged or received at the
--     same offsets.
-- param run_id String: run to read
-- param topic String: topic
-- param partition Int32: partition
-- param log_start Int64 = 0: offset at which the log began after the run
-- param first UInt32 = 5 in 1..: how many offsets of each kind to list
-- returns ranges UInt64, messages UInt64, lost UInt64, first_lost Array(Int64), removed UInt64, uncommitted UInt64,
--     altered UInt64, first_altered Array(Int64), surplus UInt64, corrupt Array(Int64)
-- messages: read again. lost: acknowledged or received, and no longer in the log. removed: the same, below log_start.
-- uncommitted: the same, never received, of a transaction that is not known to be committed: the messages of an
-- aborted one are not delivered.
-- altered: ranges in which another message has the offset; first_altered: where they begin. surplus: messages read that
-- were neither acknowledged nor received, such as sends that failed; a range with one is not compared by its hash.
-- corrupt: offsets of messages that differ from what was sent.
-- long: each message is looked up in its range and in its gap, and counted once in each of the columns.
WITH
    ranges AS
    (
        SELECT first_offset, end_offset, read, hash, gaps, corrupt
        FROM v_run_rereads(run_id = {run_id:String})
        WHERE topic = {topic:String} AND partition = {partition:Int32}
    ),
    (
        SELECT any(JSONHas(manifest, 'plan', 'behaviour', 'transaction_messages'))
        FROM v_runs
        WHERE run_id = {run_id:String}
    ) AS transactions
SELECT
    count() AS ranges,
    sum(found) AS messages,
    sum(gone) AS lost,
    arraySlice(arraySort(arrayFlatten(groupArray(first_gone))), 1, {first:UInt32}) AS first_lost,
    sum(below) AS removed,
    sum(open) AS uncommitted,
    countIf(other) AS altered,
    arraySlice(arraySort(groupArrayIf(range, other)), 1, {first:UInt32}) AS first_altered,
    sum(toUInt64(if(found > present, found - present, 0))) AS surplus,
    arraySort(arrayFlatten(groupArray(damaged))) AS corrupt
FROM
(
    SELECT
        range,
        sum(found_here) AS found,
        sum(present_here) AS present,
        sum(gone_here) AS gone,
        sum(below_here) AS below,
        sum(open_here) AS open,
        found < present OR found = present AND sum(hash_read) != sum(hash_here) AS other,
        arrayFlatten(groupArray(first_here)) AS first_gone,
        arrayFlatten(groupArray(damaged_here)) AS damaged
    FROM
    (
        SELECT first_offset AS range, read AS found_here, hash AS hash_read, corrupt AS damaged_here,
            toUInt64(0) AS present_here, toUInt64(0) AS hash_here, toUInt64(0) AS gone_here, toUInt64(0) AS below_here,
            toUInt64(0) AS open_here, CAST([], 'Array(Int64)') AS first_here
        FROM ranges
        UNION ALL
        SELECT range, 0, 0, [], countIf(NOT gap), sumIf(mixed, NOT gap),
            countIf(gap AND offset >= {log_start:Int64} AND NOT maybe_aborted), countIf(gap
                AND offset < {log_start:Int64}), countIf(gap AND offset >= {log_start:Int64} AND maybe_aborted),
            arraySlice(arraySort(groupArrayIf(offset, gap AND offset >= {log_start:Int64} AND NOT maybe_aborted)), 1,
                {first:UInt32})
        FROM
        (
            SELECT m.offset AS offset, m.mixed AS mixed, m.range AS range, m.offset <= g.last AS gap,
                transactions AND NOT m.came AND t.outcome != 'committed' AS maybe_aborted
            FROM
            (
                SELECT e.offset AS offset, e.mixed AS mixed, e.came AS came, e.maker AS maker, e.acked AS acked,
                    r.first_offset AS range, r.end_offset AS end_offset, 1 AS one
                FROM
                (
                    SELECT
                        offset,
                        max(is_delivery) AS came,
                        producer AS maker,
                        max(ack) AS acked,
                        toUInt64(offset) * 11400714819323198485 + toUInt64(producer) * 13787848793156543929
                            + toUInt64(toUnixTimestamp64Micro(intended_time)) * 10723151780598845931 AS x,
                        bitXor(x, bitShiftRight(x, 32)) * 15485907386658061715 AS y,
                        bitXor(y, bitShiftRight(y, 32)) AS mixed,
                        1 AS one
                    FROM
                    (
                        SELECT offset, producer, intended_time, ack_time AS ack, 0 AS is_delivery
                        FROM v_publishes
                        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
                            AND offset >= 0
                        UNION ALL
                        SELECT offset, producer, intended_time, toDateTime64(0, 6, 'UTC') AS ack, 1 AS is_delivery
                        FROM v_deliveries
                        WHERE run_id = {run_id:String} AND topic = {topic:String} AND partition = {partition:Int32}
                            AND producer < 4294967295 -- the number of other programs' messages
                    )
                    GROUP BY offset, producer, intended_time
                ) AS e
                ASOF JOIN (SELECT first_offset, end_offset, 1 AS one FROM ranges) AS r
                    ON e.one = r.one AND e.offset >= r.first_offset
            ) AS m
            ASOF LEFT JOIN (
                SELECT gap.1 AS first, gap.2 AS last, 1 AS one FROM ranges ARRAY JOIN gaps AS gap
                UNION ALL
                -- A row that matches no message, because a join without a match leaves offset 0.
                SELECT toInt64(-1) AS first, toInt64(-1) AS last, 1 AS one
            ) AS g ON m.one = g.one AND m.offset >= g.first
            -- A producer's messages are acknowledged before its transaction ends, and the next one begins after that.
            ASOF LEFT JOIN (
                SELECT producer, begin_time, outcome FROM v_transactions WHERE run_id = {run_id:String}
            ) AS t ON m.maker = t.producer AND m.acked >= t.begin_time
            WHERE m.offset < m.end_offset
        )
        GROUP BY range
    )
    GROUP BY range
)
