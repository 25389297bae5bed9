-- SPDX-License-Identifier: Apache-2.0
INSERT INTO publishes (run_id, worker, producer, topic, partition, offset, intended_time, publish_delay_us, ack_time, payload_bytes)
FORMAT Native
