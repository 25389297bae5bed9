-- SPDX-License-Identifier: Apache-2.0
INSERT INTO broker_requests (run_id, worker, broker, api, replica, client_id, connection, correlation_id, topic, partition, offset, records, bytes, high_watermark, answered, error, read_time, queue_us, local_us, remote_us, response_queue_us, send_us, throttle_ms, log_us, lock_us, roll_us, flush_us)
FORMAT Native
