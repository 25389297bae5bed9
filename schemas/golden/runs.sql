CREATE TABLE default.runs
(
    `run_id` String COMMENT 'Run',
    `workload_name` LowCardinality(String) COMMENT 'Name of the workload',
    `driver_name` LowCardinality(String) COMMENT 'Name of the driver',
    `state` LowCardinality(String) COMMENT 'running, finished, interrupted, failed or rejected (bad input)',
    `started_time` DateTime64(6, 'UTC') COMMENT 'When the run was started',
    `finished_time` DateTime64(6, 'UTC') COMMENT 'When the run ended; 1970 while it is running',
    `seed` UInt64 COMMENT 'Seed of keys and payloads',
    `workers` UInt16 COMMENT 'Number of load generator workers',
    `workload` String COMMENT 'Workload file as read' CODEC(ZSTD(3)),
    `driver` String COMMENT 'Driver file as read, secrets replaced by ***' CODEC(ZSTD(3)),
    `manifest` String COMMENT 'JSON: plan, versions, hosts, brokers with their log device' CODEC(ZSTD(3)),
    `audit` String COMMENT 'JSON: the verdict of the audit; empty before it' CODEC(ZSTD(3)),
    `updated_time` DateTime64(6, 'UTC') COMMENT 'Version of this row'
)
ENGINE = ReplacingMergeTree(updated_time)
ORDER BY run_id
SETTINGS index_granularity = 8192
COMMENT 'One manifest per run';
