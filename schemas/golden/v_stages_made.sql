CREATE VIEW default.v_stages_made
(
    `run_id` LowCardinality(String),
    `made_time` DateTime64(6, 'UTC'),
    `requests` UInt64,
    `published` UInt64,
    `delivered` UInt64
)
AS SELECT
    run_id,
    made_time,
    requests,
    published,
    delivered
FROM default.stages_made;
