CREATE VIEW default.v_run_events
(
    `run_id` LowCardinality(String),
    `worker` UInt16,
    `time` DateTime64(6, 'UTC'),
    `kind` LowCardinality(String),
    `name` LowCardinality(String),
    `detail` String
)
AS SELECT
    run_id,
    worker,
    time,
    kind,
    name,
    detail
FROM default.run_events;
