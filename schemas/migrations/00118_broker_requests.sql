-- SPDX-License-Identifier: Apache-2.0
-- Broker requests: one row per partition of a produce or fetch request that a broker answered, where it has the agent
-- of probes/brokeragent. worker is 32768 + the broker's number modulo 32768, so that no worker of a load generator has
-- it: blocks are numbered and the ledger counts per worker.
--
-- The times after read_time are differences, each since the one before, so their sum is exactly the time from reading
-- the request to having sent its response: queue, local, remote, response queue, send. log, lock, roll and flush are
-- parts of local, of this partition.
--
-- Order: messages find their request by topic, partition and offset, so rows are in that order, produce requests apart.

-- +goose Up
CREATE TABLE IF NOT EXISTS broker_requests
(
    run_id            LowCardinality(String) COMMENT 'Run whose client or topic it was',
    worker            UInt16                 COMMENT '32768 + broker modulo 32768' CODEC(ZSTD(1)),
    broker            UInt32                 COMMENT 'Broker that answered' CODEC(ZSTD(1)),
    api               LowCardinality(String) COMMENT 'produce or fetch',
    replica           Int32                  COMMENT 'Broker that fetched as a follower; -1 of a client'
        CODEC(ZSTD(1)),
    client_id         LowCardinality(String) COMMENT 'Client id as the client states it',
    connection        LowCardinality(String) COMMENT 'Kafka''s name of the connection: both addresses and a number',
    correlation_id    Int32                  COMMENT 'The client''s number of the request on its connection'
        CODEC(Delta(4), ZSTD(1)),
    topic             LowCardinality(String) COMMENT 'Topic',
    partition         Int32                  COMMENT 'Partition' CODEC(ZSTD(1)),
    offset            Int64                  COMMENT 'Of the first record appended, or from which was fetched; -1: none'
        CODEC(Delta(8), ZSTD(1)),
    records           UInt32                 COMMENT 'Records appended; 0 of a fetch: not counted'
        CODEC(T64, ZSTD(1)),
    bytes             UInt32                 COMMENT 'Bytes of the records' CODEC(T64, ZSTD(1)),
    high_watermark    Int64                  COMMENT 'As a fetch''s response states it; -1 of a produce request'
        CODEC(Delta(8), ZSTD(1)),
    answered          LowCardinality(String) COMMENT 'at_once, or delayed: the request waited in a purgatory',
    error             LowCardinality(String) COMMENT 'Kafka''s name of the error; empty without one',
    read_time         DateTime64(6, 'UTC')   COMMENT 'When the request had been read from the socket'
        CODEC(Delta(8), ZSTD(1)),
    queue_us          UInt32                 COMMENT 'Until a request handler took it, µs' CODEC(T64, ZSTD(1)),
    local_us          UInt32                 COMMENT 'Until the handler had done its part, µs' CODEC(T64, ZSTD(1)),
    remote_us         UInt32                 COMMENT 'Until the response was ready: followers or new data, µs'
        CODEC(T64, ZSTD(1)),
    response_queue_us UInt32                 COMMENT 'Until a network thread took the response, µs'
        CODEC(T64, ZSTD(1)),
    send_us           UInt32                 COMMENT 'Until the response was sent, µs' CODEC(T64, ZSTD(1)),
    throttle_ms       UInt32                 COMMENT 'How long a quota mutes the connection afterwards, ms'
        CODEC(T64, ZSTD(1)),
    log_us            UInt32                 COMMENT 'Of local: appending to this partition''s log, µs'
        CODEC(T64, ZSTD(1)),
    lock_us           UInt32                 COMMENT 'Of log: waiting for the log''s lock, µs' CODEC(T64, ZSTD(1)),
    roll_us           UInt32                 COMMENT 'Of log: rolling to a new log segment, µs' CODEC(T64, ZSTD(1)),
    flush_us          UInt32                 COMMENT 'Of log: flushing in the request (flush.messages), µs'
        CODEC(T64, ZSTD(1)),
    sent_time DateTime64(6, 'UTC') ALIAS read_time + toIntervalMicrosecond(
        toInt64(queue_us) + local_us + remote_us + response_queue_us + send_us)
        COMMENT 'When the response had been sent'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(read_time)
ORDER BY (run_id, api, topic, partition, offset)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'One row per partition of an answered produce or fetch request';

CREATE OR REPLACE VIEW v_broker_requests AS
SELECT run_id, worker, broker, api, replica, client_id, connection, correlation_id, topic, partition, offset, records,
    bytes, high_watermark, answered, error, read_time, sent_time, queue_us, local_us, remote_us, response_queue_us,
    send_us, throttle_ms, log_us, lock_us, roll_us, flush_us
FROM broker_requests;

-- v_message_stages(run_id = …): where each acknowledged message of a run spent its time, from the intended send to the
-- acknowledgement. All stages are µs, and their sum is publish_latency_us exactly. A message without its produce
-- request has one stage for what is not known, unmatched_us. A message finds its request by offset: the last one of its
-- partition that begins at or before it, if its records reach that far.
-- handler_us is what the request handler did beside this partition's append: checks, and the request's other
-- partitions. client_us holds serialising, batching, waiting for a free request, the network, and the time for which a
-- quota mutes the connection: throttle_ms of the requests before states how long that was.
-- A broker counts a response as sent when its network thread looks at the socket again; on a busy host the client has
-- acted on it by then. What was acknowledged before that is taken from response_send_us, so that to_client_us is not
-- negative unless clocks differ.
CREATE OR REPLACE VIEW v_message_stages AS
SELECT
    worker, producer, topic, partition, offset, intended_time, publish_latency_us,
    matched, broker, throttle_ms,
    publish_delay_us AS schedule_us,
    if(matched, dateDiff('microsecond', send_time, read_time), 0) AS client_us,
    if(matched, queue_us, 0) AS request_queue_us,
    if(matched, toInt64(local_us) - append_all_us, 0) AS handler_us,
    append_all_us - lock_wait_us - segment_roll_us - log_flush_us AS append_us,
    lock_wait_us,
    segment_roll_us,
    log_flush_us,
    if(matched, remote_us, 0) AS replication_us,
    if(matched, response_queue_us, 0) AS response_wait_us,
    if(matched, send_us, 0) - sent_early_us AS response_send_us,
    if(matched, dateDiff('microsecond', sent_time, ack_time), 0) + sent_early_us AS to_client_us,
    if(matched, 0, publish_service_us) AS unmatched_us
FROM
(
    SELECT
        m.worker AS worker, m.producer AS producer, m.topic AS topic, m.partition AS partition, m.offset AS offset,
        m.intended_time AS intended_time, m.send_time AS send_time, m.ack_time AS ack_time,
        m.publish_delay_us AS publish_delay_us, m.publish_service_us AS publish_service_us,
        m.publish_latency_us AS publish_latency_us,
        r.records > 0 AND m.offset >= r.first_offset AND m.offset < r.first_offset + r.records AS matched,
        if(matched, toInt64(r.broker), -1) AS broker, if(matched, r.throttle_ms, 0) AS throttle_ms,
        r.read_time AS read_time, r.sent_time AS sent_time, toInt64(r.queue_us) AS queue_us, r.local_us AS local_us,
        toInt64(r.remote_us) AS remote_us, toInt64(r.response_queue_us) AS response_queue_us,
        toInt64(r.send_us) AS send_us,
        if(matched, least(greatest(dateDiff('microsecond', m.ack_time, r.sent_time), 0), send_us), 0) AS sent_early_us,
        if(matched, toInt64(least(r.log_us, r.local_us)), 0) AS append_all_us,
        if(matched, least(toInt64(r.lock_us), append_all_us), 0) AS lock_wait_us,
        if(matched, least(toInt64(r.roll_us), append_all_us - lock_wait_us), 0) AS segment_roll_us,
        if(matched, least(toInt64(r.flush_us), append_all_us - lock_wait_us - segment_roll_us), 0) AS log_flush_us
    FROM
    (
        SELECT worker, producer, topic, partition, offset, intended_time, send_time, ack_time, publish_delay_us,
            publish_service_us, publish_latency_us
        FROM v_publishes
        WHERE run_id = {run_id:String}
    ) AS m
    ASOF LEFT JOIN
    (
        SELECT topic, partition, offset AS first_offset, records, broker, throttle_ms, read_time, sent_time, queue_us,
            local_us, remote_us, response_queue_us, send_us, log_us, lock_us, roll_us, flush_us
        FROM v_broker_requests
        WHERE run_id = {run_id:String} AND api = 'produce' AND error = '' AND records > 0
    ) AS r ON m.topic = r.topic AND m.partition = r.partition AND m.offset >= r.first_offset
);
