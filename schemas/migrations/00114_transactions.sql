-- SPDX-License-Identifier: Apache-2.0
-- Transactions: one row per transaction that a producer ended or gave up. Its messages have the sequence numbers
-- first_sequence … first_sequence + messages - 1 of the producer, so the payload of a message states its transaction.
-- A transaction without a row was open when its load generator was killed, or its row was lost (ledger).

-- +goose Up
CREATE TABLE IF NOT EXISTS transactions
(
    run_id           LowCardinality(String) COMMENT 'Run that made the transaction',
    worker           UInt16                 COMMENT 'Load generator worker, from 0' CODEC(ZSTD(1)),
    producer         UInt32                 COMMENT 'Producer, numbered over the whole run from 0'
        CODEC(Delta(4), ZSTD(1)),
    topic            LowCardinality(String) COMMENT 'Topic that the producer writes',
    number           UInt64                 COMMENT 'Transaction within its producer, from 0' CODEC(Delta(8), ZSTD(1)),
    first_sequence   UInt64                 COMMENT 'Sequence number of its first message within the producer'
        CODEC(Delta(8), ZSTD(1)),
    messages         UInt32                 COMMENT 'Messages sent in it' CODEC(T64, ZSTD(1)),
    acked            UInt32                 COMMENT 'Of those, messages that the broker acknowledged'
        CODEC(T64, ZSTD(1)),
    begin_time       DateTime64(6, 'UTC')   COMMENT 'Before the producer began it' CODEC(Delta(8), ZSTD(1)),
    begun_time       DateTime64(6, 'UTC')   COMMENT 'After that call' CODEC(Delta(8), ZSTD(1)),
    end_request_time DateTime64(6, 'UTC')   COMMENT 'Before the producer asked for commit or abort; end_time if never'
        CODEC(Delta(8), ZSTD(1)),
    end_time         DateTime64(6, 'UTC')   COMMENT 'When the outcome was known, or the producer gave up'
        CODEC(Delta(8), ZSTD(1)),
    outcome          LowCardinality(String) COMMENT 'committed, aborted or in_doubt: neither was confirmed',
    error_class      LowCardinality(String) COMMENT 'Simple class name of the exception; empty where there was none',
    begin_us Int64 ALIAS toUnixTimestamp64Micro(begun_time) - toUnixTimestamp64Micro(begin_time)
        COMMENT 'How long beginning it took, µs',
    end_us Int64 ALIAS toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(end_request_time)
        COMMENT 'How long the commit or abort took, µs, with the sending of what was still buffered'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(end_time)
ORDER BY (run_id, producer, number)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'One row per transaction';

CREATE OR REPLACE VIEW v_transactions AS
SELECT run_id, worker, producer, topic, number, first_sequence, messages, acked, begin_time, begun_time,
    end_request_time, end_time, outcome, error_class, begin_us, end_us
FROM transactions;

-- The same as in 00101, but share groups read all messages unless they are set to read committed ones.
CREATE OR REPLACE VIEW v_run_plan AS
SELECT
    trimBoth(any(JSONExtractString(manifest, 'plan', 'producer_config', 'acks'))) = '0' AS unanswered,
    any(JSONExtractString(manifest, 'plan', 'consumer_config', 'isolation.level')) AS isolation,
    any(JSONExtractString(manifest, 'plan', 'behaviour', 'groups')) = 'share' AS share_groups,
    if(share_groups, isolation = 'read_committed', isolation != 'read_uncommitted') AS reads_committed,
    any(JSONExtractArrayRaw(manifest, 'plan', 'topics')) AS planned_topics,
    any(JSONExtractArrayRaw(manifest, 'plan', 'phases')) AS planned_phases,
    intDivOrZero(any(JSONExtractUInt(manifest, 'plan', 'consumer_groups')), length(planned_topics)) AS groups,
    arrayMap(topic -> JSONExtractString(topic, 'name'), planned_topics) AS topics,
    arrayMap(topic -> JSONExtractBool(topic, 'existing'), planned_topics) AS existing,
    arrayMap(topic -> if(JSONHas(topic, 'subscriptions'), JSONExtractUInt(topic, 'subscriptions'), groups),
        planned_topics) AS topic_groups,
    mapFromArrays(
        arrayMap(phase -> JSONExtractString(phase, 'name'), planned_phases),
        arrayMap(phase -> JSONExtractFloat(phase, 'messages_per_second'), planned_phases)) AS targets
FROM v_runs
WHERE run_id = {run_id:String};
