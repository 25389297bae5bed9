-- SPDX-License-Identifier: Apache-2.0
-- node_exporter's counters of one drive, a sample a second. Its flushes stall in the second before spike_s.
INSERT INTO host_metrics (run_id, metric, job, host, device, labels, time, value)
SELECT
    {run_id:String}, sample.1, 'node', 'localhost', 'vda', map(),
    fromUnixTimestamp64Milli(intDiv({start_us:Int64}, 1000) + toInt64(number) * 1000 - 3000, 'UTC'), sample.2
FROM
(
    SELECT
        number,
        writes * write_s + flushes * flush_s AS queue_s,
        arrayJoin(
        [
            ('node_disk_writes_completed_total', sum(writes) OVER w),
            ('node_disk_write_time_seconds_total', sum(writes * write_s) OVER w),
            ('node_disk_reads_completed_total', sum(0.4 * noise) OVER w),
            ('node_disk_read_time_seconds_total', sum(0.0001 * noise) OVER w),
            ('node_disk_io_time_weighted_seconds_total', sum(queue_s) OVER w),
            ('node_disk_io_time_seconds_total', sum(least(0.98, 0.6 * queue_s)) OVER w),
            ('node_disk_flush_requests_total', sum(flushes) OVER w),
            ('node_disk_flush_requests_time_seconds_total', sum(flushes * flush_s) OVER w),
            ('node_disk_written_bytes_total', sum({rate:UInt32} * 1090 * (0.8 + 0.4 * noise)) OVER w)
        ]) AS sample
    FROM
    (
        SELECT
            number,
            arrayMap(salt -> (cityHash64(number, salt) % 1000003 + 0.5) / 1000003, range(3)) AS u,
            u[1] AS noise,
            {warmup_s:Int64} + {spike_s:Int64} + 3 AS stalled,
            multiIf(number = stalled, 1, number = stalled + 1, 0.3, 0) AS stall,
            round((380 + 90 * noise) * (1 - 0.6 * stall)) AS writes,
            0.0006 + 0.0005 * u[2] + 0.04 * stall AS write_s,
            round((9 + 5 * noise) * (1 - 0.6 * stall)) AS flushes,
            0.0018 + 0.0011 * u[3] + 0.16 * stall AS flush_s
        FROM numbers({warmup_s:Int64} + {measure_s:Int64} + 6)
    )
    WINDOW w AS (ORDER BY number ROWS UNBOUNDED PRECEDING)
)
