CREATE VIEW default.v_transactions
(
    `run_id` LowCardinality(String),
    `worker` UInt16,
    `producer` UInt32,
    `topic` LowCardinality(String),
    `number` UInt64,
    `first_sequence` UInt64,
    `messages` UInt32,
    `acked` UInt32,
    `begin_time` DateTime64(6, 'UTC'),
    `begun_time` DateTime64(6, 'UTC'),
    `end_request_time` DateTime64(6, 'UTC'),
    `end_time` DateTime64(6, 'UTC'),
    `outcome` LowCardinality(String),
    `error_class` LowCardinality(String),
    `begin_us` Int64,
    `end_us` Int64
)
AS SELECT
    run_id,
    worker,
    producer,
    topic,
    number,
    first_sequence,
    messages,
    acked,
    begin_time,
    begun_time,
    end_request_time,
    end_time,
    outcome,
    error_class,
    begin_us,
    end_us
FROM default.transactions;
