CREATE VIEW default.v_throughput_1s
(
    `run_id` LowCardinality(String),
    `stage` LowCardinality(String),
    `topic` LowCardinality(String),
    `worker` UInt16,
    `time` DateTime('UTC'),
    `events` UInt64,
    `bytes` UInt64
)
AS SELECT
    run_id,
    stage,
    topic,
    worker,
    time,
    sum(events) AS events,
    sum(bytes) AS bytes
FROM default.throughput_1s
GROUP BY
    run_id,
    stage,
    topic,
    worker,
    time;
