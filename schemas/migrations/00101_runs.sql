-- SPDX-License-Identifier: Apache-2.0
-- Runs: the manifest of each run, which runs are kept, and what queries need of the manifest.
-- A run is written when it starts and again when it ends; the newest version wins, so read v_runs and v_run_pins.

-- +goose Up
CREATE TABLE IF NOT EXISTS runs
(
    run_id        String                 COMMENT 'Run',
    workload_name LowCardinality(String) COMMENT 'Name of the workload',
    driver_name   LowCardinality(String) COMMENT 'Name of the driver',
    state         LowCardinality(String) COMMENT 'running, finished, interrupted, failed or rejected (bad input)',
    started_time  DateTime64(6, 'UTC')   COMMENT 'When the run was started',
    finished_time DateTime64(6, 'UTC')   COMMENT 'When the run ended; 1970 while it is running',
    seed          UInt64                 COMMENT 'Seed of keys and payloads',
    workers       UInt16                 COMMENT 'Number of load generator workers',
    workload      String                 COMMENT 'Workload file as read' CODEC(ZSTD(3)),
    driver        String                 COMMENT 'Driver file as read, secrets replaced by ***' CODEC(ZSTD(3)),
    manifest      String                 COMMENT 'JSON: plan, versions, hosts, brokers with their log device'
        CODEC(ZSTD(3)),
    audit         String                 COMMENT 'JSON: the verdict of the audit; empty before it' CODEC(ZSTD(3)),
    updated_time  DateTime64(6, 'UTC')   COMMENT 'Version of this row'
)
ENGINE = ReplacingMergeTree(updated_time)
ORDER BY run_id
COMMENT 'One manifest per run';

CREATE OR REPLACE VIEW v_runs AS
SELECT run_id, workload_name, driver_name, state, started_time, finished_time, seed, workers, workload, driver,
    manifest, audit
FROM runs FINAL;

-- The drive under each broker's log.
CREATE OR REPLACE VIEW v_broker_drives AS
SELECT run_id,
    JSONExtractInt(entry, 'id') AS broker,
    JSONExtractString(entry, 'host') AS host,
    JSONExtractString(entry, 'log_device') AS device
FROM (SELECT run_id, arrayJoin(JSONExtractArrayRaw(manifest, 'brokers')) AS entry FROM runs FINAL);

-- Pinned runs outlive every TTL and are not deleted without force.
CREATE TABLE IF NOT EXISTS run_pins
(
    run_id       String               COMMENT 'Run',
    pinned       UInt8                COMMENT '1 kept, 0 no longer',
    note         String               COMMENT 'Why, in the words of who pinned it',
    updated_time DateTime64(6, 'UTC') COMMENT 'Version of this row'
)
ENGINE = ReplacingMergeTree(updated_time)
ORDER BY run_id
COMMENT 'Runs that are kept';

CREATE OR REPLACE VIEW v_run_pins AS
SELECT run_id, note, updated_time AS pinned_time
FROM run_pins FINAL
WHERE pinned;

-- v_run_plan(run_id = …): the plan as queries need it. It always has one row, also when the run is not stored.
-- unanswered: acks=0, so no offset of a sent message is known. reads_committed: consumers skip aborted transactions.
-- existing, topic_groups: of each of the topics, whether it existed before the run, and its consumer groups.
-- groups: consumer groups of a topic where the plan states none for it. targets: messages a second, by phase.
CREATE OR REPLACE VIEW v_run_plan AS
SELECT
    trimBoth(any(JSONExtractString(manifest, 'plan', 'producer_config', 'acks'))) = '0' AS unanswered,
    any(JSONExtractString(manifest, 'plan', 'consumer_config', 'isolation.level')) != 'read_uncommitted'
        AS reads_committed,
    any(JSONExtractString(manifest, 'plan', 'behaviour', 'groups')) = 'share' AS share_groups,
    any(JSONExtractArrayRaw(manifest, 'plan', 'topics')) AS planned_topics,
    any(JSONExtractArrayRaw(manifest, 'plan', 'phases')) AS planned_phases,
    intDivOrZero(any(JSONExtractUInt(manifest, 'plan', 'consumer_groups')), length(planned_topics)) AS groups,
    arrayMap(topic -> JSONExtractString(topic, 'name'), planned_topics) AS topics,
    arrayMap(topic -> JSONExtractBool(topic, 'existing'), planned_topics) AS existing,
    arrayMap(topic -> if(JSONHas(topic, 'subscriptions'), JSONExtractUInt(topic, 'subscriptions'), groups),
        planned_topics) AS topic_groups,
    mapFromArrays(
        arrayMap(phase -> JSONExtractString(phase, 'name'), planned_phases),
        arrayMap(phase -> JSONExtractFloat(phase, 'messages_per_second'), planned_phases)) AS targets
FROM v_runs
WHERE run_id = {run_id:String};
