CREATE VIEW default.v_broker_drives
(
    `run_id` String,
    `broker` Int64,
    `host` String,
    `device` String
)
AS SELECT
    run_id,
    JSONExtractInt(entry, 'id') AS broker,
    JSONExtractString(entry, 'host') AS host,
    JSONExtractString(entry, 'log_device') AS device
FROM
(
    SELECT
        run_id,
        arrayJoin(JSONExtractArrayRaw(manifest, 'brokers')) AS entry
    FROM default.runs
    FINAL
);
