-- SPDX-License-Identifier: Apache-2.0
-- name: audit_state
-- purpose: How the run ended, with the errors that ended it.
-- param run_id String: run to read
-- returns state String, aborted UInt8, reasons Array(String)
-- aborted: a bound of abortWhen ended it. reasons: in the order of their times; none if no worker recorded one.
SELECT
    toString(any(r.state)) AS state,
    toUInt8(countIf(e.name = 'run_aborted') > 0) AS aborted,
    arrayMap(each -> each.2, arraySort(groupUniqArrayIf((e.time, e.detail),
        e.kind = 'error' AND e.name IN ('run_failed', 'run_aborted')))) AS reasons
FROM v_runs AS r
LEFT JOIN (
    SELECT run_id, time, kind, name, detail
    FROM v_run_events
    WHERE run_id = {run_id:String} AND kind = 'error'
) AS e ON e.run_id = r.run_id
WHERE r.run_id = {run_id:String}
