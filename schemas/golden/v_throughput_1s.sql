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
    CAST(events, 'UInt64') AS events,
    CAST(bytes, 'UInt64') AS bytes
FROM default.rollup_1s
WHERE stage IN ('acked', 'received', 'failed');
