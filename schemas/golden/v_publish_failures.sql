CREATE VIEW default.v_publish_failures
(
    `run_id` LowCardinality(String),
    `worker` UInt16,
    `producer` UInt32,
    `sequence` Int64,
    `topic` LowCardinality(String),
    `partition` Int32,
    `intended_time` DateTime64(6, 'UTC'),
    `tie` UInt32,
    `publish_delay_us` Int64,
    `fail_time` DateTime64(6, 'UTC'),
    `payload_bytes` UInt32,
    `error_class` LowCardinality(String)
)
AS SELECT
    run_id,
    worker,
    producer,
    sequence,
    topic,
    partition,
    intended_time,
    tie,
    publish_delay_us,
    fail_time,
    payload_bytes,
    error_class
FROM default.publish_failures;
