-- SPDX-License-Identifier: Apache-2.0
-- name: audit_findings
-- purpose: The audit of a run: its verdict, then each failure with the numbers that differ, then its notes.
-- param run_id String: run to read
-- returns kind String, check String, place String, expected Nullable(Int64), actual Nullable(Int64), text String
-- One row of kind verdict, also when the run was never audited.
SELECT kind, check, place, expected, actual, text
FROM
(
    SELECT
        0 AS nth, 'verdict' AS kind, '' AS check, '' AS place, CAST(NULL, 'Nullable(Int64)') AS expected,
        CAST(NULL, 'Nullable(Int64)') AS actual,
        multiIf(count() = 0, 'no such run is stored', any(audit) = '', 'never audited',
            any(JSONExtractString(audit, 'verdict'))) AS text
    FROM v_runs
    WHERE run_id = {run_id:String}
    UNION ALL
    SELECT
        1 AS nth, 'failure' AS kind, JSONExtractString(entry, 'check') AS check,
            JSONExtractString(entry, 'where') AS place,
        toNullable(JSONExtractInt(entry, 'expected')) AS expected,
            toNullable(JSONExtractInt(entry, 'actual')) AS actual,
        JSONExtractString(entry, 'text') AS text
    FROM (SELECT arrayJoin(JSONExtractArrayRaw(audit, 'failures')) AS entry FROM v_runs WHERE run_id = {run_id:String})
    UNION ALL
    SELECT
        2 AS nth, 'note' AS kind, '' AS check, '' AS place, CAST(NULL, 'Nullable(Int64)') AS expected,
        CAST(NULL, 'Nullable(Int64)') AS actual, note AS text
    FROM (SELECT arrayJoin(JSONExtract(audit, 'notes', 'Array(String)')) AS note FROM v_runs
        WHERE run_id = {run_id:String})
)
ORDER BY nth, check, place, text
