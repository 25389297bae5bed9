-- SPDX-License-Identifier: Apache-2.0
-- name: metric_gaps
-- purpose: What the metrics of a run cannot tell: gaps, counters that began anew, drives that came or went, probes that refused, clocks nobody keeps.
-- param run_id String: run to read
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns kind String, job String, host String, device String, from_time Nullable(DateTime64(3, 'UTC')), to_time Nullable(DateTime64(3, 'UTC')), detail String
-- gap: over 2.5 s without a sample of the job, in the measure phase (of a run without one, in all of it). reset: a counter went backwards
-- between the two samples. came, went: a drive whose first (last) sample is over 5 s after (before) that of its host. refused: an exporter that says why it has nothing.
-- unsynchronised: nothing keeps the host's clock (told where there are several hosts). present: the job has samples.
WITH
    (SELECT if(count() = 0, toDateTime64('1970-01-01', 6, 'UTC'), min(start_time)) FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT if(count() = 0, toDateTime64('2100-01-01', 6, 'UTC'), min(end_time)) FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end,
    -- One row per series, so that samples are read once for each question.
    series AS
    (
        SELECT metric, if(startsWith(metric, 'tailrace_'), 'loadgen', toString(job)) AS of_job, toString(host) AS of_host,
            toString(device) AS of_device, any(labels['reason']) AS reason,
            arraySort(groupArray((time, value))) AS samples
        FROM v_host_metrics
        WHERE run_id = {run_id:String} AND time >= {from:DateTime('UTC')} AND time <= {to:DateTime('UTC')} + 1
            AND metric IN
            (
                -- Enough to tell who was there, and each kind of counter.
                'node_cpu_seconds_total', 'node_disk_writes_completed_total', 'node_disk_reads_completed_total', 'node_timex_sync_status',
                'ioprobe_up', 'ioprobe_sync_duration_seconds_count', 'ioprobe_block_io_duration_seconds_count',
                'procprobe_cpu_seconds_total', 'procprobe_pressure_up', 'procprobe_pressure_seconds_total',
                'kafka_broker_leaders', 'kafka_broker_messages_in_total', 'kafka_request_handler_idle_seconds_total',
                'kafka_request_total_time_seconds_count', 'tailrace_loader_scheduling_lag_max_seconds'
            )
        GROUP BY metric, of_job, of_host, of_device, labels
    ),
    times AS
    (
        SELECT of_job, of_host, arraySort(arrayDistinct(groupArrayArray(samples.1))) AS points
        FROM series
        GROUP BY of_job, of_host
    ),
    drives AS
    (
        SELECT of_host, of_device, min(samples[1].1) AS first_at, max(samples[-1].1) AS last_at
        FROM series
        WHERE metric = 'node_disk_writes_completed_total'
        GROUP BY of_host, of_device
    )
SELECT kind, CAST(of_job, 'String') AS job, CAST(of_host, 'String') AS host, CAST(of_device, 'String') AS device, from_time, to_time, detail
FROM
(
    SELECT 'present' AS kind, of_job, of_host, '' AS of_device, toNullable(points[1]) AS from_time, toNullable(points[-1]) AS to_time, '' AS detail FROM times
    UNION ALL
    SELECT 'gap' AS kind, of_job, of_host, '' AS of_device, toNullable(pair.1) AS from_time, toNullable(pair.2) AS to_time, '' AS detail
    FROM times
    ARRAY JOIN arrayZip(arrayPopBack(points), arrayPopFront(points)) AS pair
    WHERE dateDiff('millisecond', pair.1, pair.2) > 2500 AND pair.2 > measure_start AND pair.1 < measure_end
    UNION ALL
    SELECT 'gap' AS kind, of_job, of_host, '' AS of_device, toNullable(points[-1]) AS from_time, NULL AS to_time, 'no more until the end' AS detail
    FROM times
    WHERE points[-1] + 3 < least(measure_end, {to:DateTime('UTC')})  AND measure_end < toDateTime64('2100-01-01', 6, 'UTC')
    UNION ALL
    SELECT 'reset' AS kind, of_job, of_host, of_device, toNullable(min(pair.1.1)) AS from_time, toNullable(max(pair.2.1)) AS to_time,
        concat(toString(count()), ' counters, ', toString(any(metric))) AS detail
    FROM series
    ARRAY JOIN arrayFilter(p -> p.2.2 < p.1.2, arrayZip(arrayPopBack(samples), arrayPopFront(samples))) AS pair
    WHERE (endsWith(metric, '_total') OR endsWith(metric, '_count')) AND pair.2.1 >= measure_start AND pair.1.1 < measure_end
    GROUP BY of_job, of_host, of_device, toStartOfInterval(pair.2.1, INTERVAL 5 SECOND)
    UNION ALL
    SELECT 'came' AS kind, 'node' AS of_job, of_host, of_device, NULL AS from_time, toNullable(first_at) AS to_time, '' AS detail
    FROM drives
    WHERE first_at > (SELECT min(first_at) FROM drives) + 5
    UNION ALL
    SELECT 'went' AS kind, 'node' AS of_job, of_host, of_device, toNullable(last_at) AS from_time, NULL AS to_time, '' AS detail
    FROM drives
    WHERE last_at < (SELECT max(last_at) FROM drives) - 5
    UNION ALL
    SELECT 'refused' AS kind, of_job, of_host, '' AS of_device, NULL AS from_time, NULL AS to_time,
        concat(toString(metric), if(any(reason) = '', '', concat(': ', any(reason)))) AS detail
    FROM series
    WHERE metric IN ('ioprobe_up', 'procprobe_pressure_up')
    GROUP BY metric, of_job, of_host
    HAVING max(arrayMax(samples.2)) = 0
    UNION ALL
    SELECT 'unsynchronised' AS kind, of_job, of_host, '' AS of_device, NULL AS from_time, NULL AS to_time, '' AS detail
    FROM series
    WHERE metric = 'node_timex_sync_status' AND (SELECT uniqExact(of_host) FROM series WHERE metric = 'node_timex_sync_status') > 1
    GROUP BY of_job, of_host
    HAVING min(arrayMin(samples.2)) = 0
)
ORDER BY kind, job, host, device, from_time
