-- SPDX-License-Identifier: Apache-2.0
-- Sequences: which message of its producer a delivery or a failed send is, so that a message at two offsets is found.
-- Rows stored before this column existed have -1.

-- +goose Up
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS sequence Int64 DEFAULT -1
    COMMENT 'Number within its producer, from 0, read from the payload; -1: not of this run, or unknown'
    CODEC(Delta(8), T64('bit'), ZSTD(1));

CREATE OR REPLACE VIEW v_deliveries AS
SELECT run_id, worker, subscription, consumer, producer, sequence, topic, partition, offset,
    intended_time, receive_time, end_to_end_us, payload_bytes
FROM deliveries;

ALTER TABLE publish_failures ADD COLUMN IF NOT EXISTS sequence Int64 DEFAULT -1
    COMMENT 'Number of the message within its producer, from 0; -1 where it is unknown';

CREATE OR REPLACE VIEW v_publish_failures AS
SELECT run_id, worker, producer, sequence, topic, partition, intended_time, publish_delay_us, fail_time, payload_bytes,
    error_class
FROM publish_failures;
