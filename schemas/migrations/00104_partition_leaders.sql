-- SPDX-License-Identifier: Apache-2.0
-- Partition leaders: which broker led a partition, and from when on.

-- +goose Up
CREATE TABLE IF NOT EXISTS partition_leaders
(
    run_id      LowCardinality(String) COMMENT 'Run',
    worker      UInt16                 COMMENT 'Load generator worker that saw it, from 0',
    time        DateTime64(6, 'UTC')   COMMENT 'Seen from this time on',
    topic       LowCardinality(String) COMMENT 'Topic',
    partition   Int32                  COMMENT 'Partition',
    leader      Int32                  COMMENT 'Broker id of the leader, -1 for none',
    leader_host LowCardinality(String) COMMENT 'Host the leader advertises'
)
ENGINE = MergeTree
ORDER BY (run_id, topic, partition, time)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'Leader of each partition over time';

CREATE OR REPLACE VIEW v_partition_leaders AS
SELECT run_id, worker, time, topic, partition, leader, leader_host
FROM partition_leaders;
