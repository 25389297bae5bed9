CREATE TABLE default.broker_logs
(
    `run_id` LowCardinality(String) COMMENT 'Run that was announced on the host; empty between runs',
    `time` DateTime64(6, 'UTC') COMMENT 'When it was written',
    `host` LowCardinality(String) COMMENT 'Host, as in the metrics',
    `source` LowCardinality(String) COMMENT 'kafka, redpanda, gc, kernel or other',
    `level` LowCardinality(String) COMMENT 'TRACE, DEBUG, INFO, WARN, ERROR or FATAL; of gc, WARN is a pause of 100 ms or more',
    `logger` LowCardinality(String) COMMENT 'Part of the program that wrote it',
    `message` String COMMENT 'Text, up to 16,384 characters'
)
ENGINE = MergeTree
ORDER BY (run_id, host, time)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'Log lines of brokers and of their hosts';
