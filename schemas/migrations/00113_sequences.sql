-- SPDX-License-Identifier: Apache-2.0
-- Identity: producer, intended send and tie identify a message of a run, so a message at two offsets is found.
--
-- The tie is almost always 0 and takes no space. A sequence has the same information in full, but beside the intended
-- send it is a second column of the same gaps: 0.14 B a row without keys, more than 1 B with. So deliveries keep it only in runs
-- with transactions, whose messages are counted off one by one. Otherwise it is the number of the producer's messages
-- (publishes and failures) with an earlier intended send, plus the tie.

-- +goose Up
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS sequence Int64 DEFAULT -1
    COMMENT 'In runs with transactions: number within its producer, from 0, read from the payload; else -1'
    CODEC(Delta(8), T64('bit'), ZSTD(1));

ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS tie UInt32
    COMMENT 'Messages of its producer just before it with the same intended send, read from the payload'
    CODEC(T64, ZSTD(1));

CREATE OR REPLACE VIEW v_deliveries AS
SELECT run_id, worker, subscription, consumer, producer, sequence, topic, partition, offset,
    intended_time, tie, receive_time, end_to_end_us, payload_bytes
FROM deliveries;

ALTER TABLE publish_failures ADD COLUMN IF NOT EXISTS sequence Int64 DEFAULT -1
    COMMENT 'Number of the message within its producer, from 0; -1 in rows of older versions';

ALTER TABLE publish_failures ADD COLUMN IF NOT EXISTS tie UInt32
    COMMENT 'Messages of its producer just before it with the same intended send';

CREATE OR REPLACE VIEW v_publish_failures AS
SELECT run_id, worker, producer, sequence, topic, partition, intended_time, tie, publish_delay_us, fail_time,
    payload_bytes, error_class
FROM publish_failures;
