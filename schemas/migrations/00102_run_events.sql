-- SPDX-License-Identifier: Apache-2.0
-- Run events: what happened in a run and when: phases, rebalances, leader changes, alerts.
-- A phase lasts until the next event of kind 'phase' of the same worker; the last one is named 'end'.

-- +goose Up
CREATE TABLE IF NOT EXISTS run_events
(
    run_id LowCardinality(String) COMMENT 'Run',
    worker UInt16                 COMMENT 'Load generator worker, from 0',
    time   DateTime64(6, 'UTC')   COMMENT 'When it happened',
    kind   LowCardinality(String) COMMENT 'phase, rebalance, leader_change, error, alert',
    name   LowCardinality(String) COMMENT 'Which: for a phase, warmup, measure, drain or end',
    detail String                 COMMENT 'Free text or JSON'
)
ENGINE = MergeTree
ORDER BY (run_id, kind, time)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'Phases and other events of a run';

CREATE OR REPLACE VIEW v_run_events AS
SELECT run_id, worker, time, kind, name, detail
FROM run_events;

-- A phase of the run: from its first start on any worker to the first start of the next phase.
CREATE OR REPLACE VIEW v_phases AS
SELECT run_id, phase, start_time,
    leadInFrame(start_time, 1, start_time) OVER (PARTITION BY run_id ORDER BY start_time
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS end_time
FROM
(
    SELECT run_id, name AS phase, min(time) AS start_time
    FROM run_events
    WHERE kind = 'phase'
    GROUP BY run_id, phase
);

-- v_measure_phase(run_id = …): the measure phase; no row when the run has none.
-- open_end_time: far in the future while the phase has not ended. first_s … end_s: the seconds wholly in the phase.
CREATE OR REPLACE VIEW v_measure_phase AS
SELECT
    start_time,
    end_time,
    if(end_time > start_time, end_time, toDateTime64('2100-01-01 00:00:00', 6, 'UTC')) AS open_end_time,
    toUInt32(ceil(toUnixTimestamp64Micro(start_time) / 1e6)) AS first_s,
    toUInt32(floor(toUnixTimestamp64Micro(end_time) / 1e6)) AS end_s
FROM v_phases
WHERE run_id = {run_id:String} AND phase = 'measure';

-- v_run_seconds(run_id = …): every second from the first phase's start to the last one's, so that a stall shows.
CREATE OR REPLACE VIEW v_run_seconds AS
SELECT toDateTime(arrayJoin(range(toUnixTimestamp(min(start_time)), toUnixTimestamp(max(start_time)) + 1)), 'UTC')
    AS time
FROM v_phases
WHERE run_id = {run_id:String}
HAVING count() > 0;
