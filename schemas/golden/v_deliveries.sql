CREATE VIEW default.v_deliveries
(
    `run_id` LowCardinality(String),
    `worker` UInt16,
    `subscription` UInt16,
    `consumer` UInt32,
    `producer` UInt32,
    `sequence` Int64,
    `topic` LowCardinality(String),
    `partition` Int32,
    `offset` Int64,
    `intended_time` DateTime64(6, 'UTC'),
    `tie` UInt32,
    `receive_time` DateTime64(6, 'UTC'),
    `end_to_end_us` Int64,
    `payload_bytes` UInt32
)
AS SELECT
    run_id,
    worker,
    subscription,
    consumer,
    producer,
    sequence,
    topic,
    partition,
    offset,
    intended_time,
    tie,
    receive_time,
    end_to_end_us,
    payload_bytes
FROM default.deliveries;
