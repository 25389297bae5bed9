-- SPDX-License-Identifier: Apache-2.0
INSERT INTO deliveries (run_id, worker, subscription, consumer, producer, topic, partition, offset, intended_time, receive_time, payload_bytes, sequence, tie)
FORMAT Native
