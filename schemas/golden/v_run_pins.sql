CREATE VIEW default.v_run_pins
(
    `run_id` String,
    `note` String,
    `pinned_time` DateTime64(6, 'UTC')
)
AS SELECT
    run_id,
    note,
    updated_time AS pinned_time
FROM default.run_pins
FINAL
WHERE pinned;
