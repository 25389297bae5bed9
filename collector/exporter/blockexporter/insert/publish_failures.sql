-- SPDX-License-Identifier: Apache-2.0
INSERT INTO publish_failures (run_id, worker, producer, topic, partition, intended_time, publish_delay_us, fail_time, payload_bytes, error_class, sequence, tie)
FORMAT Native
