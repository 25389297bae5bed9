CREATE TABLE default.run_events
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `worker` UInt16 COMMENT 'Load generator worker, from 0',
    `time` DateTime64(6, 'UTC') COMMENT 'When it happened',
    `kind` LowCardinality(String) COMMENT 'phase, rebalance, leader_change, error, alert',
    `name` LowCardinality(String) COMMENT 'Which: for a phase, warmup, measure, drain or end',
    `detail` String COMMENT 'Free text or JSON'
)
ENGINE = MergeTree
ORDER BY (run_id, kind, time)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'Phases and other events of a run';
