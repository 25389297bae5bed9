-- SPDX-License-Identifier: Apache-2.0
-- name: read_to_end_grid
-- purpose: Seconds that reading a fixed volume to its end took, by event size, partitions and threads, beside the
--     baselines.
-- param runs String: run ids with commas between them, of runs that read topics with names like feldera-4k-16p to their
--     ends
-- returns event_bytes UInt64, partitions UInt64, threads String, run_id String, seconds Float64, first_s Float64,
--     messages UInt64, mb UInt64, mb_per_s Float64, wc_ratio Nullable(Float64), cat_wc_ratio Nullable(Float64),
--     kcat_ratio Nullable(Float64), rdkafka_ratio Nullable(Float64), unsound String
-- seconds: from the start of the measure phase to the last delivery, of which first_s until the first; several runs of
-- one grid cell have one row each. Ratios are to wc -l and cat | wc -l over the same records in one file, and to kcat
-- and librdkafka on the same topic (manifest, experiment); NULL if that was not measured.
WITH
    asked AS (SELECT * FROM v_experiment_runs(runs = {runs:String})),
    known AS (SELECT run_id, JSONExtractRaw(manifest, 'experiment', 'baselines') AS baselines FROM v_runs
        WHERE run_id IN (SELECT arrayJoin(splitByChar(',', {runs:String})))),
    reads AS
    (
        SELECT run_id, topic, count() AS messages, sum(payload_bytes) AS bytes, min(receive_time) AS first,
            max(receive_time) AS last
        FROM v_deliveries
        WHERE run_id IN (SELECT arrayJoin(splitByChar(',', {runs:String})))
        GROUP BY run_id, topic
    )
SELECT
    toUInt64OrZero(extract(CAST(topic, 'String'), '-(\\d+)k?-\\d+p$')) * if(match(CAST(topic, 'String'), 'k-\\d+p$'),
        1024, 1) AS event_bytes,
    toUInt64OrZero(extract(CAST(topic, 'String'), '-(\\d+)p$')) AS partitions,
    concat(JSONExtractString(a.plan, 'behaviour', 'consumer_threads'),
        if(JSONHas(a.plan, 'behaviour', 'consumer_pool'), concat(' ',
            toString(JSONExtractUInt(a.plan, 'behaviour', 'consumer_pool'))), '')) AS threads,
    a.run_id AS run_id,
    dateDiff('microsecond', a.measure_from, r.last) / 1e6 AS seconds,
    dateDiff('microsecond', a.measure_from, r.first) / 1e6 AS first_s,
    r.messages AS messages,
    toUInt64(r.bytes / 1e6) AS mb,
    r.bytes / 1e6 / seconds AS mb_per_s,
    seconds / nullIf(JSONExtractFloat(k.baselines, 'wc'), 0) AS wc_ratio,
    seconds / nullIf(JSONExtractFloat(k.baselines, 'cat_wc'), 0) AS cat_wc_ratio,
    seconds / nullIf(JSONExtractFloat(k.baselines, 'kcat', CAST(topic, 'String')), 0) AS kcat_ratio,
    seconds / nullIf(JSONExtractFloat(k.baselines, 'rdkafka', CAST(topic, 'String')), 0) AS rdkafka_ratio,
    a.unsound AS unsound
FROM reads AS r
INNER JOIN asked AS a ON a.run_id = r.run_id
INNER JOIN known AS k ON k.run_id = r.run_id
ORDER BY event_bytes, partitions, threads, run_id
