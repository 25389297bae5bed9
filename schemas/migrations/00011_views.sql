-- Views: the only names that queries, the report and dashboards may read.

-- +goose Up
CREATE VIEW IF NOT EXISTS v_publishes AS
SELECT run_id, worker, producer, topic, partition, offset, intended_time, send_time, ack_time,
    publish_delay_us, publish_latency_us, publish_service_us, payload_bytes
FROM publishes;

CREATE VIEW IF NOT EXISTS v_deliveries AS
SELECT run_id, worker, subscription, consumer, producer, topic, partition, offset,
    intended_time, receive_time, end_to_end_us, payload_bytes
FROM deliveries;

CREATE VIEW IF NOT EXISTS v_publish_failures AS
SELECT run_id, worker, producer, topic, partition, intended_time, publish_delay_us, fail_time, payload_bytes, error_class
FROM publish_failures;

CREATE VIEW IF NOT EXISTS v_runs AS
SELECT run_id, workload_name, driver_name, state, started_time, finished_time, seed, workers, workload, driver, manifest, audit
FROM runs FINAL;

CREATE VIEW IF NOT EXISTS v_run_events AS
SELECT run_id, worker, time, kind, name, detail
FROM run_events;

CREATE VIEW IF NOT EXISTS v_partition_leaders AS
SELECT run_id, worker, time, topic, partition, leader, leader_host
FROM partition_leaders;

CREATE VIEW IF NOT EXISTS v_ledger AS
SELECT run_id, worker, stream, kind, reason, events, from_time, to_time
FROM ledger;

CREATE VIEW IF NOT EXISTS v_host_metrics AS
SELECT run_id, metric, job, host, device, labels, time, value
FROM host_metrics;

-- A phase of the run: from its first start on any worker to the first start of the next phase.
CREATE VIEW IF NOT EXISTS v_phases AS
SELECT run_id, phase, start_time,
    leadInFrame(start_time, 1, start_time) OVER (PARTITION BY run_id ORDER BY start_time
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS end_time
FROM
(
    SELECT run_id, name AS phase, min(time) AS start_time
    FROM run_events
    WHERE kind = 'phase'
    GROUP BY run_id, phase
);

-- value_us is the midpoint of the bucket, rounded down: up to 256 µs a bucket holds one value, or two whose lower one it is.
-- Both without a GROUP BY of their own. Parts that are not merged yet may hold a second, or a bucket of it, in several
-- rows; whoever reads sums, and a sum of sums is the same. Grouping first cost five times as much.
CREATE VIEW IF NOT EXISTS v_latency_1s AS
SELECT run_id, stage, topic, worker, time, bucket,
    if(bucket < 0, -1, 1) * toInt64(floor(if(bucket = 0, 0,
        reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(bucket)), 16) + 32768)))) AS value_us,
    CAST(events, 'UInt64') AS events
FROM rollup_1s
WHERE stage IN ('publish', 'publish_service', 'publish_delay', 'end_to_end');

CREATE VIEW IF NOT EXISTS v_throughput_1s AS
SELECT run_id, stage, topic, worker, time, CAST(events, 'UInt64') AS events, CAST(bytes, 'UInt64') AS bytes
FROM rollup_1s
WHERE stage IN ('acked', 'received', 'failed');

-- The block device under each broker's log, from the manifest.
CREATE VIEW IF NOT EXISTS v_broker_drives AS
SELECT run_id,
    JSONExtractInt(entry, 'id') AS broker,
    JSONExtractString(entry, 'host') AS host,
    JSONExtractString(entry, 'log_device') AS device
FROM (SELECT run_id, arrayJoin(JSONExtractArrayRaw(manifest, 'brokers')) AS entry FROM runs FINAL);

-- What each drive did in the second that ends at time, from node_exporter's counters.
-- A counter that went backwards (reboot, device re-created) gives NULL, never a wrong number.
CREATE VIEW IF NOT EXISTS v_drive_1s AS
SELECT run_id, host, device, time, seconds,
    if(d_writes > 0, 1000 * d_write_s / d_writes, NULL) AS write_latency_ms,
    if(d_reads > 0, 1000 * d_read_s / d_reads, NULL) AS read_latency_ms,
    d_queue_s / seconds AS queue_depth,
    d_busy_s / seconds AS utilisation,
    d_flushes / seconds AS flushes_per_s,
    if(d_flushes > 0, 1000 * d_flush_s / d_flushes, NULL) AS flush_latency_ms,
    d_writes / seconds AS writes_per_s,
    d_written / seconds AS written_bytes_per_s,
    d_reads / seconds AS reads_per_s
FROM
(
    SELECT run_id, host, device, toDateTime(sampled, 'UTC') AS time,
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
        SELECT run_id, host, device, time AS sampled,
            maxOrNullIf(value, metric = 'node_disk_writes_completed_total') AS writes,
            maxOrNullIf(value, metric = 'node_disk_write_time_seconds_total') AS write_s,
            maxOrNullIf(value, metric = 'node_disk_reads_completed_total') AS reads,
            maxOrNullIf(value, metric = 'node_disk_read_time_seconds_total') AS read_s,
            maxOrNullIf(value, metric = 'node_disk_io_time_weighted_seconds_total') AS queue_s,
            maxOrNullIf(value, metric = 'node_disk_io_time_seconds_total') AS busy_s,
            maxOrNullIf(value, metric = 'node_disk_flush_requests_total') AS flushes,
            maxOrNullIf(value, metric = 'node_disk_flush_requests_time_seconds_total') AS flush_s,
            maxOrNullIf(value, metric = 'node_disk_written_bytes_total') AS written
        FROM host_metrics
        WHERE metric LIKE 'node_disk_%'
        GROUP BY run_id, host, device, sampled
    )
    WINDOW w AS (PARTITION BY run_id, host, device ORDER BY sampled ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
WHERE n > 1 AND seconds > 0;
