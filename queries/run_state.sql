-- SPDX-License-Identifier: Apache-2.0
-- name: run_state
-- purpose: One row for the head of a page about a run: its state, the time it covers, and what the page cannot show.
-- param run_id String: run to read
-- returns run_id String, state String, audit String, workload_name String, driver_name String,
--     started_time DateTime64(6, 'UTC'), from_ms Nullable(Int64), to_ms Nullable(Int64), notes String
-- A run that is not stored has a row too: notes state it. from_ms, to_ms: from the first phase to the last, in ms since
-- 1970; until now while the run goes on.
WITH
    (SELECT count() FROM (SELECT 1 FROM v_host_metrics WHERE run_id = {run_id:String} LIMIT 1)) AS metrics,
    (SELECT (count(), sumIf(events, stage = 'acked')) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS messages,
    (SELECT (countIf(phase = 'measure'), toUnixTimestamp64Milli(min(start_time)), toUnixTimestamp64Milli(max(end_time)))
        FROM v_phases WHERE run_id = {run_id:String}) AS phases,
    (SELECT count() FROM v_broker_drives WHERE run_id = {run_id:String} AND device != '') AS drives
SELECT
    {run_id:String} AS run_id,
    any(v.state) AS state,
    any(JSONExtractString(v.audit, 'verdict')) AS audit,
    toString(any(v.workload_name)) AS workload_name,
    toString(any(v.driver_name)) AS driver_name,
    any(v.started_time) AS started_time,
    if(phases.2 = 0, toUnixTimestamp64Milli(any(v.started_time)), phases.2) AS from_ms,
    if(any(v.state) = 'running', toUnixTimestamp64Milli(now64(3)), greatest(phases.3, from_ms) + 1000) AS to_ms,
    arrayStringConcat(arrayFilter(note -> note != '', if(count() = 0, ['no such run is stored'],
    [
        if(any(v.state) = 'running', 'still going: host metrics, ledger and audit come at its end', ''),
        if(messages.1 = 0, 'no message is stored', ''),
        if(phases.1 = 0, 'the measure phase never began', ''),
        if(metrics = 0 AND any(v.state) != 'running', 'no host metrics were kept', ''),
        if(drives = 0, 'the drives under the brokers are not known', ''),
        if(any(v.state) != 'running' AND any(v.audit) = '', 'not audited', ''),
        if(any(JSONExtractString(v.audit, 'verdict')) = 'fail', 'the audit failed: do not quote its figures', '')
    ])), '; ') AS notes
FROM v_runs AS v
WHERE v.run_id = {run_id:String}
