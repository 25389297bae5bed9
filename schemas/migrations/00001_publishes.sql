-- publishes: one row per acknowledged message.
-- Absolute times are stored where a batch shares them, so they compress; latencies are ALIAS columns.
-- Order: a producer's rows lie as they were due, so the due times of a schedule cost nothing. Without keys a batch still
-- lies together, and its partition, offsets and acknowledgement are small deltas; with keys, callbacks scatter over
-- partitions, and rows in their order take half as much again (6.4 B against 4.2, each with its best codecs). A block comes in the order of
-- callbacks, which is nearly this one: sorting it, with the codecs of 00014, adds an eighth to an insert and halves the
-- last merge (docs/results/pipeline.md). Granules are large because what compresses
-- together is one granule of one column. A warehouse made with another order keeps it; it takes more room, no more.
-- The deduplication window makes a re-sent block a no-op: 100,000 inserts are 111 minutes at 15 a second, so an
-- hour of them (54,000 blocks) can be sent again, an outage's spool or a whole replay. A block that crosses
-- midnight takes two places. Every table that takes blocks has this window; the targets of views have more.

-- +goose Up
CREATE TABLE IF NOT EXISTS publishes
(
    run_id           LowCardinality(String)   COMMENT 'Run that sent the message',
    worker           UInt16                   COMMENT 'Load generator worker, from 0' CODEC(ZSTD(1)),
    producer         UInt32                   COMMENT 'Producer, numbered over the whole run from 0' CODEC(Delta(4), ZSTD(1)),
    topic            LowCardinality(String)   COMMENT 'Topic',
    partition        Int32                    COMMENT 'Partition' CODEC(Delta(4), ZSTD(1)),
    offset           Int64                    COMMENT 'Offset the broker acknowledged' CODEC(Delta(8), ZSTD(1)),
    intended_time    DateTime64(6, 'UTC')     COMMENT 'When the schedule wanted the message sent' CODEC(Delta(8), ZSTD(1)),
    publish_delay_us Int64                    COMMENT 'Actual send minus intended send, µs' CODEC(T64, ZSTD(1)),
    ack_time         DateTime64(6, 'UTC')     COMMENT 'When the producer callback ran' CODEC(Delta(8), ZSTD(1)),
    payload_bytes    UInt32                   COMMENT 'Message value size' CODEC(T64, ZSTD(1)),
    send_time          DateTime64(6, 'UTC') ALIAS intended_time + toIntervalMicrosecond(publish_delay_us) COMMENT 'When send() was called',
    publish_latency_us Int64 ALIAS toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time) COMMENT 'Ack minus intended send, µs: no coordinated omission',
    publish_service_us Int64 ALIAS toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time) - publish_delay_us COMMENT 'Ack minus actual send, µs: what OMB calls publish latency'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(intended_time)
ORDER BY (run_id, worker, producer, intended_time)
SETTINGS non_replicated_deduplication_window = 100000, auto_statistics_types = '', merge_selector_base = 20,
    index_granularity = 65536, index_granularity_bytes = 1073741824
COMMENT 'One row per acknowledged message';
