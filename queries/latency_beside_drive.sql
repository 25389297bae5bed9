-- SPDX-License-Identifier: Apache-2.0
-- name: latency_beside_drive
-- purpose: p99 of the messages intended in each second beside the latencies, load and flushes of the drive under the
--     broker's log.
-- param run_id String: run to read
-- returns time DateTime('UTC'), phase String, host String, device String, publish_p99_ms Nullable(Float64),
--     end_to_end_p99_ms Nullable(Float64), write_latency_ms Nullable(Float64), queue_depth Nullable(Float64),
--     utilisation Nullable(Float64), flushes_per_s Nullable(Float64), flush_latency_ms Nullable(Float64),
--     written_bytes_per_s Nullable(Float64)
-- One row per second and drive; NULL where there was no message or no sample. A drive sample of time t covers the
-- second before t.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases,
    seconds AS
    (
        SELECT
            time,
            anyOrNullIf(p99_us, stage = 'publish') / 1000 AS publish_p99_ms,
            anyOrNullIf(p99_us, stage = 'end_to_end') / 1000 AS end_to_end_p99_ms
        FROM
        (
            SELECT 'publish' AS stage, time, values_us[arrayFirstIndex(n -> n >= ceil(0.99 * events), upto)] AS p99_us
            FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'publish')
            UNION ALL
            SELECT 'end_to_end' AS stage, time,
                values_us[arrayFirstIndex(n -> n >= ceil(0.99 * events), upto)] AS p99_us
            FROM v_latency_ranks_1s(run_id = {run_id:String}, stage = 'end_to_end')
            UNION ALL
            SELECT '' AS stage, time, 0 AS p99_us
            FROM v_run_seconds(run_id = {run_id:String})
        )
        GROUP BY time
    ),
    drives AS
    (
        SELECT DISTINCT host, device FROM v_broker_drives WHERE run_id = {run_id:String}
        UNION ALL
        SELECT '' AS host, '' AS device
        FROM (SELECT count() AS known FROM v_broker_drives WHERE run_id = {run_id:String})
        WHERE known = 0
    )
SELECT
    s.time AS time,
    phases[greatest(1, arrayCount(p -> p.1 <= s.time, phases))].2 AS phase,
    s.host AS host,
    s.device AS device,
    s.publish_p99_ms AS publish_p99_ms,
    s.end_to_end_p99_ms AS end_to_end_p99_ms,
    d.write_latency_ms AS write_latency_ms,
    d.queue_depth AS queue_depth,
    d.utilisation AS utilisation,
    d.flushes_per_s AS flushes_per_s,
    d.flush_latency_ms AS flush_latency_ms,
    d.written_bytes_per_s AS written_bytes_per_s
FROM (SELECT * FROM seconds CROSS JOIN drives) AS s
LEFT JOIN
(
    -- Two samples may fall into one second.
    SELECT
        host,
        device,
        time - 1 AS second,
        avg(write_latency_ms) AS write_latency_ms,
        avg(queue_depth) AS queue_depth,
        avg(utilisation) AS utilisation,
        avg(flushes_per_s) AS flushes_per_s,
        avg(flush_latency_ms) AS flush_latency_ms,
        avg(written_bytes_per_s) AS written_bytes_per_s
    FROM v_drive_1s
    WHERE run_id = {run_id:String}
    GROUP BY host, device, second
) AS d ON d.host = s.host AND d.device = s.device AND d.second = s.time
ORDER BY host, device, time
