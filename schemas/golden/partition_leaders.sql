CREATE TABLE default.partition_leaders
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `worker` UInt16 COMMENT 'Load generator worker that saw it, from 0',
    `time` DateTime64(6, 'UTC') COMMENT 'Seen from this time on',
    `topic` LowCardinality(String) COMMENT 'Topic',
    `partition` Int32 COMMENT 'Partition',
    `leader` Int32 COMMENT 'Broker id of the leader, -1 for none',
    `leader_host` LowCardinality(String) COMMENT 'Host the leader advertises'
)
ENGINE = MergeTree
ORDER BY (run_id, topic, partition, time)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'Leader of each partition over time';
