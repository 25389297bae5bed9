CREATE VIEW default.v_drive_1s
(
    `run_id` LowCardinality(String),
    `host` LowCardinality(String),
    `device` LowCardinality(String),
    `time` DateTime('UTC'),
    `seconds` Float64,
    `write_latency_ms` Nullable(Float64),
    `read_latency_ms` Nullable(Float64),
    `queue_depth` Nullable(Float64),
    `utilisation` Nullable(Float64),
    `flushes_per_s` Nullable(Float64),
    `flush_latency_ms` Nullable(Float64),
    `writes_per_s` Nullable(Float64),
    `written_bytes_per_s` Nullable(Float64),
    `reads_per_s` Nullable(Float64)
)
AS SELECT
    run_id,
    host,
    device,
    time,
    seconds,
    if(d_writes > 0, (1000 * d_write_s) / d_writes, NULL) AS write_latency_ms,
    if(d_reads > 0, (1000 * d_read_s) / d_reads, NULL) AS read_latency_ms,
    d_queue_s / seconds AS queue_depth,
    d_busy_s / seconds AS utilisation,
    d_flushes / seconds AS flushes_per_s,
    if(d_flushes > 0, (1000 * d_flush_s) / d_flushes, NULL) AS flush_latency_ms,
    d_writes / seconds AS writes_per_s,
    d_written / seconds AS written_bytes_per_s,
    d_reads / seconds AS reads_per_s
FROM
(
    SELECT
        run_id,
        host,
        device,
        toDateTime(sampled, 'UTC') AS time,
        dateDiff('millisecond', lagInFrame(sampled) OVER w, sampled) / 1000 AS seconds,
        if(writes < lagInFrame(writes) OVER w, NULL, writes - lagInFrame(writes) OVER w) AS d_writes,
        if(write_s < lagInFrame(write_s) OVER w, NULL, write_s - lagInFrame(write_s) OVER w) AS d_write_s,
        if(reads < lagInFrame(reads) OVER w, NULL, reads - lagInFrame(reads) OVER w) AS d_reads,
        if(read_s < lagInFrame(read_s) OVER w, NULL, read_s - lagInFrame(read_s) OVER w) AS d_read_s,
        if(queue_s < lagInFrame(queue_s) OVER w, NULL, queue_s - lagInFrame(queue_s) OVER w) AS d_queue_s,
        if(busy_s < lagInFrame(busy_s) OVER w, NULL, busy_s - lagInFrame(busy_s) OVER w) AS d_busy_s,
        if(flushes < lagInFrame(flushes) OVER w, NULL, flushes - lagInFrame(flushes) OVER w) AS d_flushes,
        if(flush_s < lagInFrame(flush_s) OVER w, NULL, flush_s - lagInFrame(flush_s) OVER w) AS d_flush_s,
        if(written < lagInFrame(written) OVER w, NULL, written - lagInFrame(written) OVER w) AS d_written,
        row_number() OVER w AS n
    FROM
    (
        SELECT
            run_id,
            host,
            device,
            time AS sampled,
            maxOrNullIf(value, metric = 'node_disk_writes_completed_total') AS writes,
            maxOrNullIf(value, metric = 'node_disk_write_time_seconds_total') AS write_s,
            maxOrNullIf(value, metric = 'node_disk_reads_completed_total') AS reads,
            maxOrNullIf(value, metric = 'node_disk_read_time_seconds_total') AS read_s,
            maxOrNullIf(value, metric = 'node_disk_io_time_weighted_seconds_total') AS queue_s,
            maxOrNullIf(value, metric = 'node_disk_io_time_seconds_total') AS busy_s,
            maxOrNullIf(value, metric = 'node_disk_flush_requests_total') AS flushes,
            maxOrNullIf(value, metric = 'node_disk_flush_requests_time_seconds_total') AS flush_s,
            maxOrNullIf(value, metric = 'node_disk_written_bytes_total') AS written
        FROM default.host_metrics
        WHERE metric LIKE 'node_disk_%'
        GROUP BY
            run_id,
            host,
            device,
            sampled
    )
    WINDOW w AS (PARTITION BY run_id, host, device ORDER BY sampled ASC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
WHERE (n > 1) AND (seconds > 0);
