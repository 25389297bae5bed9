-- SPDX-License-Identifier: Apache-2.0
-- Messages: one row per message that was acknowledged (publishes), received (deliveries) or failed (publish_failures).
-- Absolute times are stored where a batch shares them, so they compress; latencies are ALIAS columns.
--
-- Order: a producer's rows are in the order of their intended sends, so the intended sends of a schedule cost nothing.
-- Without keys, a batch's rows are still together, and its partition, offsets and acknowledgement are small deltas.
-- With keys, callbacks scatter over partitions, and rows in their order take half as much space again (6.4 B against
-- 4.2, each with its best codecs). A block arrives in the order of callbacks, which is nearly this order: sorting it
-- adds an eighth to an insert and halves the last merge (docs/results/pipeline.md).
-- Granules are large because one granule of one column is what compresses together. Rows of deliveries follow
-- receive_time, the return of poll(): one clock read per batch, so it compresses to almost nothing.
--
-- Codecs are measured per column on live runs (make bench-storage). Callbacks that scatter over hundreds of partitions
-- leave differences of a few bits beside large ones: transposed bit by bit (T64('bit')) they take two thirds of what
-- Delta with ZSTD alone leaves, at the same CPU.
--
-- The index serves a window of a few seconds in a run of hours: the least and greatest intended send of a granule
-- decide whether the granule is read.
--
-- The deduplication window makes a re-sent block a no-op: 100,000 inserts are 111 minutes at 15 a second, so an hour of
-- them (54,000 blocks) can be sent again, an outage's spool or a whole replay. A block that crosses midnight counts
-- twice. Every table that takes blocks has this window; the targets of materialized views have more.

-- +goose Up
CREATE TABLE IF NOT EXISTS publishes
(
    run_id           LowCardinality(String)   COMMENT 'Run that sent the message',
    worker           UInt16                   COMMENT 'Load generator worker, from 0' CODEC(ZSTD(1)),
    producer         UInt32                   COMMENT 'Producer, numbered over the whole run from 0'
        CODEC(Delta(4), ZSTD(1)),
    topic            LowCardinality(String)   COMMENT 'Topic',
    partition        Int32                    COMMENT 'Partition' CODEC(T64, ZSTD(1)),
    offset           Int64                    COMMENT 'Offset the broker acknowledged'
        CODEC(Delta(8), T64('bit'), ZSTD(1)),
    intended_time    DateTime64(6, 'UTC')     COMMENT 'When the schedule wanted the message sent'
        CODEC(Delta(8), ZSTD(3)),
    publish_delay_us Int64                    COMMENT 'Actual send minus intended send, µs'
        CODEC(Delta(8), T64('bit'), ZSTD(1)),
    ack_time         DateTime64(6, 'UTC')     COMMENT 'When the producer callback ran'
        CODEC(Delta(8), T64('bit'), ZSTD(1)),
    payload_bytes    UInt32                   COMMENT 'Message value size' CODEC(T64, ZSTD(1)),
    send_time          DateTime64(6, 'UTC') ALIAS intended_time + toIntervalMicrosecond(publish_delay_us)
        COMMENT 'When send() was called',
    publish_latency_us Int64 ALIAS toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time)
        COMMENT 'Ack minus intended send, µs: no coordinated omission',
    publish_service_us Int64 ALIAS toUnixTimestamp64Micro(ack_time) - toUnixTimestamp64Micro(intended_time)
        - publish_delay_us
        COMMENT 'Ack minus actual send, µs: what OMB calls publish latency',
    INDEX intended_time_minmax intended_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(intended_time)
ORDER BY (run_id, worker, producer, intended_time)
SETTINGS non_replicated_deduplication_window = 100000, auto_statistics_types = '', merge_selector_base = 20,
    index_granularity = 65536, index_granularity_bytes = 1073741824
COMMENT 'One row per acknowledged message';

CREATE OR REPLACE VIEW v_publishes AS
SELECT run_id, worker, producer, topic, partition, offset, intended_time, send_time, ack_time,
    publish_delay_us, publish_latency_us, publish_service_us, payload_bytes
FROM publishes;

-- One row per subscription (consumer group) that received the message.
CREATE TABLE IF NOT EXISTS deliveries
(
    run_id        LowCardinality(String)   COMMENT 'Run that received the message',
    worker        UInt16                   COMMENT 'Load generator worker, from 0' CODEC(ZSTD(1)),
    subscription  UInt16                   COMMENT 'Consumer group of the topic, from 0' CODEC(ZSTD(1)),
    consumer      UInt32                   COMMENT 'Consumer, numbered over the whole run from 0'
        CODEC(Delta(4), ZSTD(1)),
    producer      UInt32                   COMMENT 'Producer, read from the payload' CODEC(T64, ZSTD(1)),
    topic         LowCardinality(String)   COMMENT 'Topic',
    partition     Int32                    COMMENT 'Partition' CODEC(ZSTD(1)),
    offset        Int64                    COMMENT 'Offset' CODEC(DoubleDelta(8), ZSTD(1)),
    intended_time DateTime64(6, 'UTC')     COMMENT 'When the schedule wanted the message sent, read from the payload'
        CODEC(Delta(8), T64('bit'), ZSTD(1)),
    receive_time  DateTime64(6, 'UTC')     COMMENT 'When poll() returned the message' CODEC(Delta(8), ZSTD(1)),
    payload_bytes UInt32                   COMMENT 'Message value size' CODEC(T64, ZSTD(1)),
    end_to_end_us Int64 ALIAS toUnixTimestamp64Micro(receive_time) - toUnixTimestamp64Micro(intended_time)
        COMMENT 'Receive minus intended send, µs; may be negative when clocks differ',
    INDEX intended_time_minmax intended_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(intended_time)
ORDER BY (run_id, worker, consumer, receive_time)
SETTINGS non_replicated_deduplication_window = 100000, auto_statistics_types = '', merge_selector_base = 20,
    index_granularity = 65536, index_granularity_bytes = 1073741824
COMMENT 'One row per message received, once per subscription';

CREATE OR REPLACE VIEW v_deliveries AS
SELECT run_id, worker, subscription, consumer, producer, topic, partition, offset,
    intended_time, receive_time, end_to_end_us, payload_bytes
FROM deliveries;

-- One row per message that the producer gave up on, with its time and error class.
CREATE TABLE IF NOT EXISTS publish_failures
(
    run_id           LowCardinality(String) COMMENT 'Run that sent the message',
    worker           UInt16                 COMMENT 'Load generator worker, from 0',
    producer         UInt32                 COMMENT 'Producer, numbered over the whole run from 0',
    topic            LowCardinality(String) COMMENT 'Topic',
    partition        Int32                  COMMENT 'Partition, or -1 where none was chosen',
    intended_time    DateTime64(6, 'UTC')   COMMENT 'When the schedule wanted the message sent',
    publish_delay_us Int64                  COMMENT 'Actual send minus intended send, µs',
    fail_time        DateTime64(6, 'UTC')   COMMENT 'When the producer reported the failure',
    payload_bytes    UInt32                 COMMENT 'Message value size',
    error_class      LowCardinality(String) COMMENT 'Simple class name of the exception (OpenTelemetry error.type)'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(intended_time)
ORDER BY (run_id, topic, intended_time)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'One row per message that failed to publish';

CREATE OR REPLACE VIEW v_publish_failures AS
SELECT run_id, worker, producer, topic, partition, intended_time, publish_delay_us, fail_time, payload_bytes,
    error_class
FROM publish_failures;

-- v_stage_messages(run_id = …, stage = …): one stage's latency of every message: publish, publish_delay,
-- publish_service or end_to_end; another stage has no rows. answered_time: when it was acknowledged, or received.
-- Conditions on parameters are constants, so only the columns of the stage are read.
CREATE OR REPLACE VIEW v_stage_messages AS
SELECT worker, producer, toUInt32(0) AS consumer, toUInt16(0) AS subscription, topic, partition, intended_time,
    ack_time AS answered_time,
    if({stage:String} = 'publish', publish_latency_us,
        if({stage:String} = 'publish_delay', publish_delay_us, publish_service_us)) AS us
FROM v_publishes
WHERE {stage:String} IN ('publish', 'publish_delay', 'publish_service') AND run_id = {run_id:String}
UNION ALL
SELECT worker, producer, consumer, subscription, topic, partition, intended_time,
    receive_time AS answered_time, end_to_end_us AS us
FROM v_deliveries
WHERE {stage:String} = 'end_to_end' AND run_id = {run_id:String};
