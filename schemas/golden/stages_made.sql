CREATE TABLE default.stages_made
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `made_time` DateTime64(6, 'UTC') COMMENT 'When the computation began; names it',
    `requests` UInt64 COMMENT 'Request rows of the run then',
    `published` UInt64 COMMENT 'Acknowledged messages',
    `delivered` UInt64 COMMENT 'Deliveries'
)
ENGINE = MergeTree
ORDER BY (run_id, made_time)
SETTINGS index_granularity = 8192
COMMENT 'One row per finished computation of stages_1s';
