CREATE VIEW default.v_broker_logs
(
    `run_id` LowCardinality(String),
    `time` DateTime64(6, 'UTC'),
    `host` LowCardinality(String),
    `source` LowCardinality(String),
    `level` LowCardinality(String),
    `logger` LowCardinality(String),
    `message` String
)
AS SELECT
    run_id,
    time,
    host,
    source,
    level,
    logger,
    message
FROM default.broker_logs;
