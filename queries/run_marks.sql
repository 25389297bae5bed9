-- SPDX-License-Identifier: Apache-2.0
-- name: run_marks
-- purpose: What to show on the time axis of a run: its phases, alerts, users' marks, and all other events.
-- param run_id String: run to read
-- param kind String = all in phase|alert|mark|event|all: what to show
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns time DateTime64(3, 'UTC'), timeEnd DateTime64(3, 'UTC'), title String, text String, tags String
-- What began before the window is shown if it lasts into the window. event: leader changes, rebalances, errors, clock
-- steps.
-- mark: what `tailrace mark` wrote; its title is fault or note.
SELECT toDateTime64(start_time, 3, 'UTC') AS time, toDateTime64(end_time, 3, 'UTC') AS timeEnd, title, text, tags
FROM
(
    SELECT start_time, end_time, concat('phase ', toString(phase)) AS title, '' AS text, 'phase' AS tags
    FROM v_phases
    WHERE run_id = {run_id:String} AND {kind:String} IN ('all', 'phase')
    UNION ALL
    SELECT
        time AS start_time,
        if(JSONType(detail, 'end') = 'Null', time, toDateTime64(JSONExtractFloat(detail, 'end'), 6, 'UTC')) AS end_time,
        toString(name) AS title,
        if(v_run_events.kind = 'mark', JSONExtractString(detail, 'text'), JSONExtractRaw(detail, 'labels')) AS text,
        concat(toString(v_run_events.kind), ',', if(v_run_events.kind = 'mark', toString(name),
            JSONExtractString(detail, 'severity'))) AS tags
    FROM v_run_events
    WHERE run_id = {run_id:String} AND v_run_events.kind IN ('alert', 'mark')
        AND ({kind:String} = 'all' OR v_run_events.kind = {kind:String})
    UNION ALL
    SELECT time AS start_time, time AS end_time, concat(toString(v_run_events.kind), ' ', toString(name)) AS title,
        detail AS text,
        toString(v_run_events.kind) AS tags
    FROM v_run_events
    WHERE run_id = {run_id:String} AND v_run_events.kind NOT IN ('phase', 'alert', 'mark', 'topic')
        AND {kind:String} IN ('all', 'event')
)
WHERE end_time >= {from:DateTime('UTC')} AND start_time < {to:DateTime('UTC')} + 1
ORDER BY time, title
