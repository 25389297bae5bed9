-- SPDX-License-Identifier: Apache-2.0
-- name: alerts
-- purpose: The alerts that fired during a run, in order, with the phase in which each began; end_time is NULL for an
--     alert that still fired when the run ended.
-- param run_id String: run to read
-- returns start_time DateTime64(6, 'UTC'), end_time Nullable(DateTime64(3, 'UTC')), name LowCardinality(String),
--     severity String, phase String, labels String
WITH (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases
SELECT
    time AS start_time,
    if(
        JSONType(detail, 'end') = 'Null',
        NULL,
        toDateTime64(JSONExtractFloat(detail, 'end'), 3, 'UTC')
    ) AS end_time,
    name,
    JSONExtractString(detail, 'severity') AS severity,
    -- Before the first phase the run is starting: arrays begin with 1, and 0 is an empty name.
    toString(phases[arrayCount(p -> p.1 <= time, phases)].2) AS phase,
    JSONExtractRaw(detail, 'labels') AS labels
FROM v_run_events
WHERE run_id = {run_id:String} AND kind = 'alert'
ORDER BY time, name
