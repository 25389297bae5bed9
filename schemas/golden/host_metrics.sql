CREATE TABLE default.host_metrics
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `metric` LowCardinality(String) COMMENT 'Prometheus metric name',
    `job` LowCardinality(String) COMMENT 'Scrape job: node, kafka, collector, loadgen',
    `host` LowCardinality(String) COMMENT 'Host the metric is about',
    `device` LowCardinality(String) COMMENT 'Block device or network device; empty where there is none',
    `labels` Map(LowCardinality(String), String) COMMENT 'The remaining labels' CODEC(ZSTD(1)),
    `time` DateTime64(3, 'UTC') COMMENT 'Time of the sample' CODEC(DoubleDelta, ZSTD(1)),
    `value` Float64 COMMENT 'Value of the sample' CODEC(Gorilla(8), ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, metric, host, device, labels, time)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'Host and broker metrics of a run, one row per sample';
