CREATE TABLE default.run_pins
(
    `run_id` String COMMENT 'Run',
    `pinned` UInt8 COMMENT '1 kept, 0 no longer',
    `note` String COMMENT 'Why, in the words of who pinned it',
    `updated_time` DateTime64(6, 'UTC') COMMENT 'Version of this row'
)
ENGINE = ReplacingMergeTree(updated_time)
ORDER BY run_id
SETTINGS index_granularity = 8192
COMMENT 'Runs that are kept';
