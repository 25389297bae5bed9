-- SPDX-License-Identifier: Apache-2.0
-- Metrics: host and broker metrics of a run, copied from VictoriaMetrics at its end, one row per sample.
-- Counters are stored raw; the views compute rates, so nothing is averaged away.

-- +goose Up
CREATE TABLE IF NOT EXISTS host_metrics
(
    run_id LowCardinality(String)                      COMMENT 'Run',
    metric LowCardinality(String)                      COMMENT 'Prometheus metric name',
    job    LowCardinality(String)                      COMMENT 'Scrape job: node, kafka, collector, loadgen',
    host   LowCardinality(String)                      COMMENT 'Host the metric is about',
    device LowCardinality(String)
        COMMENT 'Block device or network device; empty where there is none',
    labels Map(LowCardinality(String), String)         COMMENT 'The remaining labels' CODEC(ZSTD(1)),
    time   DateTime64(3, 'UTC')                        COMMENT 'Time of the sample' CODEC(DoubleDelta, ZSTD(1)),
    value  Float64                                     COMMENT 'Value of the sample' CODEC(Gorilla, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, metric, host, device, labels, time)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'Host and broker metrics of a run, one row per sample';

CREATE OR REPLACE VIEW v_host_metrics AS
SELECT run_id, metric, job, host, device, labels, time, value
FROM host_metrics;

-- What each drive did in the second that ends at time, from node_exporter's counters.
-- A counter that went backwards (reboot, device re-created) gives NULL, never a wrong number.
CREATE OR REPLACE VIEW v_drive_1s AS
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
