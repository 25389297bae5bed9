-- run_pins: runs that are kept whatever a TTL says, and that are not deleted without force.
-- The newest version wins (read v_run_pins).

-- +goose Up
CREATE TABLE IF NOT EXISTS run_pins
(
    run_id       String               COMMENT 'Run',
    pinned       UInt8                COMMENT '1 kept, 0 no longer',
    note         String               COMMENT 'Why, in the words of who pinned it',
    updated_time DateTime64(6, 'UTC') COMMENT 'Version of this row'
)
ENGINE = ReplacingMergeTree(updated_time)
ORDER BY run_id
COMMENT 'Runs that are kept';

CREATE VIEW IF NOT EXISTS v_run_pins AS
SELECT run_id, note, updated_time AS pinned_time
FROM run_pins FINAL
WHERE pinned;
