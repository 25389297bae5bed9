-- SPDX-License-Identifier: Apache-2.0
-- Broker logs: what brokers, their garbage collectors and the kernel (about drives) wrote during a run.
-- Vector ships them on clusters (ansible/roles/vector); the table is empty on one machine.

-- +goose Up
CREATE TABLE IF NOT EXISTS broker_logs
(
    run_id  LowCardinality(String) COMMENT 'Run that was announced on the host; empty between runs',
    time    DateTime64(6, 'UTC')   COMMENT 'When it was written',
    host    LowCardinality(String) COMMENT 'Host, as in the metrics',
    source  LowCardinality(String) COMMENT 'kafka, redpanda, gc, kernel or other',
    level   LowCardinality(String)
        COMMENT 'TRACE, DEBUG, INFO, WARN, ERROR or FATAL; of gc, WARN is a pause of 100 ms or more',
    logger  LowCardinality(String) COMMENT 'Part of the program that wrote it',
    message String                 COMMENT 'Text, up to 16,384 characters'
)
ENGINE = MergeTree
ORDER BY (run_id, host, time)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'Log lines of brokers and of their hosts';

CREATE OR REPLACE VIEW v_broker_logs AS
SELECT run_id, time, host, source, level, logger, message
FROM broker_logs;
