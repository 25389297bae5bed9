CREATE VIEW default.v_host_metrics
(
    `run_id` LowCardinality(String),
    `metric` LowCardinality(String),
    `job` LowCardinality(String),
    `host` LowCardinality(String),
    `device` LowCardinality(String),
    `labels` Map(LowCardinality(String), String),
    `time` DateTime64(3, 'UTC'),
    `value` Float64
)
AS SELECT
    run_id,
    metric,
    job,
    host,
    device,
    labels,
    time,
    value
FROM default.host_metrics;
