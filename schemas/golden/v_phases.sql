CREATE VIEW default.v_phases
(
    `run_id` LowCardinality(String),
    `phase` LowCardinality(String),
    `start_time` DateTime64(6, 'UTC'),
    `end_time` DateTime64(6, 'UTC')
)
AS SELECT
    run_id,
    phase,
    start_time,
    leadInFrame(start_time, 1, start_time) OVER (PARTITION BY run_id ORDER BY start_time ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS end_time
FROM
(
    SELECT
        run_id,
        name AS phase,
        min(time) AS start_time
    FROM default.run_events
    WHERE kind = 'phase'
    GROUP BY
        run_id,
        phase
);
