-- SPDX-License-Identifier: Apache-2.0
-- name: cost_per_event
-- purpose: CPU, drive and network that each host and process used in the measure phase, per message acknowledged.
-- param run_id String: run to read
-- returns job LowCardinality(String), host LowCardinality(String), resource String, used Float64, unit String,
--     per_event Float64, event_unit String
-- From counters kept with the run: processes' CPU time, the hosts' busy CPU time, bytes written to broker log drives,
-- bytes sent over the network except loopback. A counter that a restart reset counts from 0 again. per_event is in µs
-- or bytes; no rows without acknowledged messages.
WITH
    (SELECT start_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_start,
    (SELECT end_time FROM v_measure_phase(run_id = {run_id:String})) AS measure_end,
    (
        SELECT sum(events)
        FROM v_throughput_1s
        WHERE run_id = {run_id:String} AND stage = 'acked' AND time >= measure_start AND time < measure_end
    ) AS acked_events,
    ifNull(acked_events, 0) AS acked
SELECT
    job,
    host,
    resource,
    sum(rise) AS used,
    if(resource LIKE '%cpu', 's', 'B') AS unit,
    used * if(unit = 's', 1e6, 1) / acked AS per_event,
    if(unit = 's', 'µs', 'B') AS event_unit
FROM
(
    SELECT
        job,
        host,
        multiIf(metric IN ('process_cpu_seconds_total', 'otelcol_process_cpu_seconds_total',
            'otelcol_process_cpu_seconds'), 'process cpu',
            metric = 'node_cpu_seconds_total', 'host cpu',
            metric = 'node_disk_written_bytes_total', 'drive written',
            'network sent') AS resource,
        if(value < before, value, value - before) AS rise
    FROM
    (
        SELECT job, host, metric, value, lagInFrame(value, 1, value) OVER
            (PARTITION BY metric, job, host, device, labels
                ORDER BY time ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
        FROM v_host_metrics
        WHERE run_id = {run_id:String} AND time >= measure_start AND time < measure_end
            AND (metric IN ('process_cpu_seconds_total', 'otelcol_process_cpu_seconds_total',
                'otelcol_process_cpu_seconds')
                OR metric = 'node_cpu_seconds_total' AND labels['mode'] NOT IN ('idle', 'iowait')
                OR metric = 'node_disk_written_bytes_total'
                    AND (host, device) IN (SELECT host, device FROM v_broker_drives WHERE run_id = {run_id:String})
                OR metric = 'node_network_transmit_bytes_total' AND device != 'lo')
    )
)
WHERE acked > 0
GROUP BY job, host, resource
ORDER BY job, host, resource
