CREATE VIEW default.v_partition_leaders
(
    `run_id` LowCardinality(String),
    `worker` UInt16,
    `time` DateTime64(6, 'UTC'),
    `topic` LowCardinality(String),
    `partition` Int32,
    `leader` Int32,
    `leader_host` LowCardinality(String)
)
AS SELECT
    run_id,
    worker,
    time,
    topic,
    partition,
    leader,
    leader_host
FROM default.partition_leaders;
