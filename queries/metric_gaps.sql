-- SPDX-License-Identifier: Apache-2.0
-- name: metric_gaps
-- purpose: What is missing from the metrics of a run: gaps, counters that restarted, drives that came or went,
--     exporters that refused, clocks without synchronisation.
-- param run_id String: run to read
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns kind String, job String, host String, device String, from_time Nullable(DateTime64(3, 'UTC')),
--     to_time Nullable(DateTime64(3, 'UTC')), detail String, broker String
-- gap: over 2.5 s without a sample of the job, or of a drive while its host has samples; to_time is NULL if no sample
-- follows.
-- late: the job's first sample is over 5 s late.
-- Both are judged in the measure phase; without a measure phase, or without its recorded end, as far as the run's
-- messages reach.
-- reset: a counter went backwards between the two samples.
-- came, went: the drive's first (last) sample is over 5 s after (before) that of its host.
-- refused: an exporter reports why it has no samples.
-- unsynchronised: no service synchronises the host's clock; reported if there are several hosts.
-- present: the job has samples.
-- broker: whose samples they are, of the job kafka only: a host may have several brokers.
-- long: each kind is one SELECT over the same samples, which are read once.
WITH
    (SELECT (min(start_time), min(end_time)) FROM v_measure_phase(run_id = {run_id:String})) AS measure,
    (SELECT (min(time), max(time)) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS reach,
    if(toUnixTimestamp(measure.1) > 0, measure.1, toDateTime64(reach.1, 6, 'UTC')) AS measure_start,
    if(measure.2 > measure.1, measure.2, toDateTime64(reach.2, 6, 'UTC')) AS measure_end,
    -- One row per series, so that samples are read once for each question.
    series AS
    (
        SELECT metric, if(startsWith(metric, 'tailrace_'), 'loadgen', toString(job)) AS of_job,
            toString(host) AS of_host,
            toString(device) AS of_device, if(of_job = 'kafka', labels['broker'], '') AS of_broker,
            any(labels['reason']) AS reason,
            arraySort(groupArray((time, value))) AS samples
        FROM v_host_metrics
        WHERE run_id = {run_id:String} AND time >= {from:DateTime('UTC')} AND time <= {to:DateTime('UTC')} + 1
            AND metric IN
            (
                -- Enough to see which jobs were present, and each kind of counter.
                'node_cpu_seconds_total', 'node_disk_writes_completed_total', 'node_disk_reads_completed_total',
                    'node_timex_sync_status',
                'ioprobe_up', 'ioprobe_sync_duration_seconds_count', 'ioprobe_block_io_duration_seconds_count',
                'procprobe_cpu_seconds_total', 'procprobe_pressure_up', 'procprobe_pressure_seconds_total',
                'kafka_broker_leaders', 'kafka_broker_messages_in_total', 'kafka_request_handler_idle_seconds_total',
                'kafka_request_total_time_seconds_count', 'tailrace_loader_scheduling_lag_max_seconds'
            )
        GROUP BY metric, of_job, of_host, of_device, labels
    ),
    times AS
    (
        SELECT of_job, of_host, of_broker, arraySort(arrayDistinct(groupArrayArray(samples.1))) AS points
        FROM series
        GROUP BY of_job, of_host, of_broker
    ),
    -- Samples of each drive beside those of its host.
    drives AS
    (
        SELECT d.of_job AS of_job, d.of_host AS of_host, d.of_device AS of_device, d.seen AS seen, t.points AS points
        FROM
        (
            SELECT of_job, of_host, of_device, arraySort(arrayDistinct(groupArrayArray(samples.1))) AS seen
            FROM series
            WHERE metric = 'node_disk_writes_completed_total'
            GROUP BY of_job, of_host, of_device
        ) AS d
        INNER JOIN times AS t ON t.of_job = d.of_job AND t.of_host = d.of_host
    )
SELECT kind, CAST(of_job, 'String') AS job, CAST(of_host, 'String') AS host, CAST(of_device, 'String') AS device,
    from_time, to_time, detail, CAST(of_broker, 'String') AS broker
FROM
(
    SELECT 'present' AS kind, of_job, of_host, '' AS of_device, toNullable(points[1]) AS from_time,
        toNullable(points[-1]) AS to_time, '' AS detail, of_broker FROM times
    UNION ALL
    SELECT 'gap' AS kind, of_job, of_host, '' AS of_device, toNullable(pair.1) AS from_time,
        toNullable(pair.2) AS to_time, '' AS detail, of_broker
    FROM times
    ARRAY JOIN arrayZip(arrayPopBack(points), arrayPopFront(points)) AS pair
    WHERE dateDiff('millisecond', pair.1, pair.2) > 2500 AND pair.2 > measure_start AND pair.1 < measure_end
    UNION ALL
    SELECT 'late' AS kind, of_job, of_host, '' AS of_device, NULL AS from_time, toNullable(points[1]) AS to_time,
        '' AS detail, of_broker
    FROM times
    WHERE points[1] > greatest(measure_start, {from:DateTime('UTC')}) + 5 AND measure_end > measure_start
    UNION ALL
    SELECT 'gap' AS kind, of_job, of_host, '' AS of_device, toNullable(points[-1]) AS from_time, NULL AS to_time,
        'no more until the end' AS detail, of_broker
    FROM times
    WHERE points[-1] + 3 < least(measure_end, {to:DateTime('UTC')})
    UNION ALL
    SELECT 'gap' AS kind, of_job, of_host, of_device, toNullable(pair.1) AS from_time, toNullable(pair.2) AS to_time,
        '' AS detail, '' AS of_broker
    FROM drives
    ARRAY JOIN arrayZip(arrayPopBack(seen), arrayPopFront(seen)) AS pair
    WHERE dateDiff('millisecond', pair.1, pair.2) > 2500 AND pair.2 > measure_start AND pair.1 < measure_end
        AND arrayExists(at -> at > pair.1 AND at < pair.2, points)
    UNION ALL
    SELECT 'reset' AS kind, of_job, of_host, of_device, toNullable(min(pair.1.1)) AS from_time,
        toNullable(max(pair.2.1)) AS to_time,
        concat(toString(count()), ' counters, ', toString(any(metric))) AS detail, of_broker
    FROM series
    ARRAY JOIN arrayFilter(p -> p.2.2 < p.1.2, arrayZip(arrayPopBack(samples), arrayPopFront(samples))) AS pair
    WHERE (endsWith(metric, '_total') OR endsWith(metric, '_count')) AND pair.2.1 >= measure_start
        AND pair.1.1 < measure_end
    GROUP BY of_job, of_host, of_device, of_broker, toStartOfInterval(pair.2.1, INTERVAL 5 SECOND)
    UNION ALL
    SELECT 'came' AS kind, of_job, of_host, of_device, NULL AS from_time, toNullable(seen[1]) AS to_time,
        '' AS detail, '' AS of_broker
    FROM drives
    WHERE seen[1] > points[1] + 5
    UNION ALL
    SELECT 'went' AS kind, of_job, of_host, of_device, toNullable(seen[-1]) AS from_time, NULL AS to_time,
        '' AS detail, '' AS of_broker
    FROM drives
    WHERE seen[-1] < points[-1] - 5
    UNION ALL
    SELECT 'refused' AS kind, of_job, of_host, '' AS of_device, NULL AS from_time, NULL AS to_time,
        concat(toString(metric), if(any(reason) = '', '', concat(': ', any(reason)))) AS detail, '' AS of_broker
    FROM series
    WHERE metric IN ('ioprobe_up', 'procprobe_pressure_up')
    GROUP BY metric, of_job, of_host
    HAVING max(arrayMax(samples.2)) = 0
    UNION ALL
    SELECT 'unsynchronised' AS kind, of_job, of_host, '' AS of_device, NULL AS from_time, NULL AS to_time,
        '' AS detail, '' AS of_broker
    FROM series
    WHERE metric = 'node_timex_sync_status' AND (SELECT uniqExact(of_host) FROM series
        WHERE metric = 'node_timex_sync_status') > 1
    GROUP BY of_job, of_host
    HAVING min(arrayMin(samples.2)) = 0
)
ORDER BY kind, job, host, device, broker, from_time
