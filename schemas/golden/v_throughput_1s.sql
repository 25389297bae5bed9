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
FROM default.rollup_1s
WHERE stage IN ('acked', 'received', 'failed')
GROUP BY
    run_id,
    stage,
    topic,
    worker,
    time;
