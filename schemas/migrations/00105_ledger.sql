-- SPDX-License-Identifier: Apache-2.0
-- Ledger: each worker's own counts, which the audit compares with the stored rows.
-- kind:  sent       send() calls made                       (stream publishes)
--        acked      successful callbacks                    (stream publishes)
--        failed     failed callbacks or send() exceptions   (stream publishes)
--        unsent     messages overdue and never sent, because their producer gave up first (stream publishes)
--        received   messages returned by poll()             (stream deliveries)
--        recorded   rows handed to the recorder             (every stream of rows)
--        lost       recorded rows that could not be kept, with the reason and their time range

-- +goose Up
CREATE TABLE IF NOT EXISTS ledger
(
    run_id    LowCardinality(String) COMMENT 'Run',
    worker    UInt16                 COMMENT 'Load generator worker, from 0',
    stream    LowCardinality(String) COMMENT 'publishes, deliveries, publish_failures, run_events or partition_leaders',
    kind      LowCardinality(String) COMMENT 'sent, acked, failed, unsent, received, recorded or lost',
    reason    LowCardinality(String) COMMENT 'Why rows were lost, or messages not sent; empty for other kinds',
    events    UInt64                 COMMENT 'How many',
    from_time DateTime64(6, 'UTC')   COMMENT 'First event counted; 1970 where it does not apply',
    to_time   DateTime64(6, 'UTC')   COMMENT 'Last event counted; 1970 where it does not apply'
)
ENGINE = MergeTree
ORDER BY (run_id, worker, stream, kind)
SETTINGS non_replicated_deduplication_window = 100000
COMMENT 'Counters each worker kept by itself, for the audit';

CREATE OR REPLACE VIEW v_ledger AS
SELECT run_id, worker, stream, kind, reason, events, from_time, to_time
FROM ledger;
