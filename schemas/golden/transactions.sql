CREATE TABLE default.transactions
(
    `run_id` LowCardinality(String) COMMENT 'Run that made the transaction',
    `worker` UInt16 COMMENT 'Load generator worker, from 0' CODEC(ZSTD(1)),
    `producer` UInt32 COMMENT 'Producer, numbered over the whole run from 0' CODEC(Delta(4), ZSTD(1)),
    `topic` LowCardinality(String) COMMENT 'Topic that the producer writes',
    `number` UInt64 COMMENT 'Transaction within its producer, from 0' CODEC(Delta(8), ZSTD(1)),
    `first_sequence` UInt64 COMMENT 'Sequence number of its first message within the producer' CODEC(Delta(8), ZSTD(1)),
    `messages` UInt32 COMMENT 'Messages sent in it' CODEC(T64, ZSTD(1)),
    `acked` UInt32 COMMENT 'Of those, messages that the broker acknowledged' CODEC(T64, ZSTD(1)),
    `begin_time` DateTime64(6, 'UTC') COMMENT 'Before the producer began it' CODEC(Delta(8), ZSTD(1)),
    `begun_time` DateTime64(6, 'UTC') COMMENT 'After that call' CODEC(Delta(8), ZSTD(1)),
    `end_request_time` DateTime64(6, 'UTC') COMMENT 'Before the producer asked for commit or abort; end_time if never' CODEC(Delta(8), ZSTD(1)),
    `end_time` DateTime64(6, 'UTC') COMMENT 'When the outcome was known, or the producer gave up' CODEC(Delta(8), ZSTD(1)),
    `outcome` LowCardinality(String) COMMENT 'committed, aborted or in_doubt: neither was confirmed',
    `error_class` LowCardinality(String) COMMENT 'Simple class name of the exception; empty where there was none',
    `begin_us` Int64 ALIAS toUnixTimestamp64Micro(begun_time) - toUnixTimestamp64Micro(begin_time) COMMENT 'How long beginning it took, µs',
    `end_us` Int64 ALIAS toUnixTimestamp64Micro(end_time) - toUnixTimestamp64Micro(end_request_time) COMMENT 'How long the commit or abort took, µs, with the sending of what was still buffered'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(end_time)
ORDER BY (run_id, producer, number)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'One row per transaction';
