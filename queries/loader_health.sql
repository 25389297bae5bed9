-- SPDX-License-Identifier: Apache-2.0
-- name: loader_health
-- purpose: Per second, what can make the load generator itself the cause of latency: scheduling lag, pauses, CPU.
-- param run_id String: run to read
-- returns time DateTime('UTC'), worker String, lag_max_ms Nullable(Float64), pause_max_ms Nullable(Float64),
--     cpu_s Nullable(Float64), heap_mb Nullable(Float64)
-- lag_max_ms: the worst delay with which a thread that slept 10 ms woke up. pause_max_ms: longest garbage collection
-- pause. cpu_s: CPU time so far. Compare it with latency_percentiles_per_second.
SELECT
    toDateTime(time, 'UTC') AS time,
    labels['tailrace_worker_id'] AS worker,
    1000 * maxOrNullIf(value, metric LIKE 'tailrace_loader_scheduling_lag_max%') AS lag_max_ms,
    1000 * maxOrNullIf(value, metric LIKE 'tailrace_loader_gc_pause_max%') AS pause_max_ms,
    maxOrNullIf(value, metric LIKE 'jvm_cpu_time%') AS cpu_s,
    maxOrNullIf(value, metric LIKE 'jvm_memory_used%') / 1e6 AS heap_mb
FROM v_host_metrics
WHERE run_id = {run_id:String}
    AND (metric LIKE 'tailrace_loader_%' OR metric LIKE 'jvm_cpu_time%' OR metric LIKE 'jvm_memory_used%')
    AND labels['service_name'] = 'tailrace-loadgen' AND labels['tailrace_run_id'] = {run_id:String}
GROUP BY time, worker
ORDER BY worker, time
