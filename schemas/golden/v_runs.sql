CREATE VIEW default.v_runs
(
    `run_id` String,
    `workload_name` LowCardinality(String),
    `driver_name` LowCardinality(String),
    `state` LowCardinality(String),
    `started_time` DateTime64(6, 'UTC'),
    `finished_time` DateTime64(6, 'UTC'),
    `seed` UInt64,
    `workers` UInt16,
    `workload` String,
    `driver` String,
    `manifest` String,
    `audit` String
)
AS SELECT
    run_id,
    workload_name,
    driver_name,
    state,
    started_time,
    finished_time,
    seed,
    workers,
    workload,
    driver,
    manifest,
    audit
FROM default.runs
FINAL;
