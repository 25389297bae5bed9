CREATE VIEW default.v_ledger
(
    `run_id` LowCardinality(String),
    `worker` UInt16,
    `stream` LowCardinality(String),
    `kind` LowCardinality(String),
    `reason` LowCardinality(String),
    `events` UInt64,
    `from_time` DateTime64(6, 'UTC'),
    `to_time` DateTime64(6, 'UTC')
)
AS SELECT
    run_id,
    worker,
    stream,
    kind,
    reason,
    events,
    from_time,
    to_time
FROM default.ledger;
