-- SPDX-License-Identifier: Apache-2.0
INSERT INTO transactions (run_id, worker, producer, topic, number, first_sequence, messages, acked, begin_time, begun_time, end_request_time, end_time, outcome, error_class)
FORMAT Native
