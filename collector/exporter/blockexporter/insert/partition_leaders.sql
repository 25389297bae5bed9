-- SPDX-License-Identifier: Apache-2.0
INSERT INTO partition_leaders (run_id, worker, time, topic, partition, leader, leader_host)
FORMAT Native
