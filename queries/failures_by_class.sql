-- SPDX-License-Identifier: Apache-2.0
-- name: failures_by_class
-- purpose: Messages that producers gave up on, by phase and error class, and produce requests that brokers refused.
-- param run_id String: run to read
-- returns source String, phase String, class String, events UInt64, share Nullable(Float64), partitions UInt64,
--     first_time DateTime64(6, 'UTC'), last_time DateTime64(6, 'UTC'), p50_ms Nullable(Float64),
--     max_ms Nullable(Float64)
-- source producer: share is of all messages the workers sent; p50 and max are from the intended send to the failure. A
-- message belongs to the phase of its intended send.
-- source broker: failed produce requests (not messages) that a broker counted; clients retry most of them, so they show
-- retries.
WITH
    (SELECT arraySort(groupArray((start_time, phase))) FROM v_phases WHERE run_id = {run_id:String}) AS phases,
    (SELECT sum(events) FROM v_ledger WHERE run_id = {run_id:String} AND kind = 'sent') AS sent
SELECT source, phase, class, events, share, partitions, first_time, last_time, p50_ms, max_ms
FROM
(
    SELECT
        'producer' AS source,
        toString(phases[greatest(1, arrayCount(p -> p.1 <= intended_time, phases))].2) AS phase,
        CAST(error_class, 'String') AS class,
        count() AS events,
        if(sent > 0, events / sent, NULL) AS share,
        uniqExactIf((topic, partition), partition >= 0) AS partitions,
        min(intended_time) AS first_time,
        max(intended_time) AS last_time,
        toNullable(quantileExact(0.5)(dateDiff('microsecond', intended_time, fail_time)) / 1000) AS p50_ms,
        toNullable(max(dateDiff('microsecond', intended_time, fail_time)) / 1000) AS max_ms
    FROM v_publish_failures
    WHERE run_id = {run_id:String}
    GROUP BY phase, class
    UNION ALL
    SELECT
        'broker' AS source,
        toString(phases[greatest(1, arrayCount(p -> p.1 <= time, phases))].2) AS phase,
        concat('failed_produce_requests ', CAST(host, 'String')) AS class,
        toUInt64(sum(rise)) AS events,
        NULL AS share,
        toUInt64(0) AS partitions,
        toDateTime64(min(time), 6, 'UTC') AS first_time,
        toDateTime64(max(time), 6, 'UTC') AS last_time,
        NULL AS p50_ms,
        NULL AS max_ms
    FROM
    (
        SELECT host, time, value - lagInFrame(value, 1, value) OVER
            (PARTITION BY host, labels ORDER BY time ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS rise
        FROM v_host_metrics
        WHERE run_id = {run_id:String} AND metric = 'kafka_broker_failed_produce_requests_total'
    )
    WHERE rise > 0
    GROUP BY phase, class
)
ORDER BY source DESC, first_time, class
