CREATE VIEW default.v_publishes
(
    `run_id` LowCardinality(String),
    `worker` UInt16,
    `producer` UInt32,
    `topic` LowCardinality(String),
    `partition` Int32,
    `offset` Int64,
    `intended_time` DateTime64(6, 'UTC'),
    `send_time` DateTime64(6, 'UTC'),
    `ack_time` DateTime64(6, 'UTC'),
    `publish_delay_us` Int64,
    `publish_latency_us` Int64,
    `publish_service_us` Int64,
    `payload_bytes` UInt32
)
AS SELECT
    run_id,
    worker,
    producer,
    topic,
    partition,
    offset,
    intended_time,
    send_time,
    ack_time,
    publish_delay_us,
    publish_latency_us,
    publish_service_us,
    payload_bytes
FROM default.publishes;
