-- SPDX-License-Identifier: Apache-2.0
-- name: runs_compared
-- purpose: Runs side by side: varied values, rate, audit, and percentiles of the measure phase of one latency; from the
--     rollup.
-- param runs String: run ids, with commas between them
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- returns run_id String, label String, workload_name LowCardinality(String), driver_name LowCardinality(String),
--     varied String, state LowCardinality(String), audit String, started_time DateTime64(6, 'UTC'), measure_s Float64,
--     target_per_s Nullable(Float64), acked_per_s Nullable(Float64), events UInt64, p50_us Int64, p90_us Int64,
--     p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
-- varied: the values of the campaign's dimensions, as JSON; {} outside a campaign. Whole seconds of the measure phase.
-- label: the same in words, with the repeat, and with the run's id if another run has the same label; outside a
-- campaign the id alone.
-- long: one row joins the run, its measure phase, its latencies and its throughput.
WITH
    wanted AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS run_id),
    spans AS
    (
        SELECT v.run_id AS run_id,
            toUInt32(ceil(toUnixTimestamp64Milli(v.start_time) / 1000)) AS first,
            toUInt32(intDiv(toUnixTimestamp64Milli(v.end_time), 1000)) AS after
        FROM v_phases AS v
        WHERE v.run_id IN (SELECT run_id FROM wanted) AND v.phase = 'measure'
    )
SELECT
    r.run_id AS run_id,
    multiIf(r.dimensions = '', r.run_id, r.alike > 1, concat(r.dimensions, ' · ', r.run_id), r.dimensions) AS label,
    toString(r.workload_name) AS workload_name,
    toString(r.driver_name) AS driver_name,
    if(JSONExtractRaw(r.manifest, 'plan', 'varied') = '', '{}', JSONExtractRaw(r.manifest, 'plan', 'varied')) AS varied,
    toString(r.state) AS state,
    JSONExtractString(r.audit, 'verdict') AS audit,
    r.started_time AS started_time,
    toFloat64(s.after - s.first) AS measure_s,
    arrayFirstOrNull(p -> p > 0, arrayMap(p -> JSONExtractFloat(p, 'messages_per_second'),
        arrayFilter(p -> JSONExtractString(p, 'name') = 'measure',
            JSONExtractArrayRaw(r.manifest, 'plan', 'phases')))) AS target_per_s,
    if(measure_s > 0, t.acked / measure_s, NULL) AS acked_per_s,
    l.messages AS events,
    l.quantiles[1] AS p50_us,
    l.quantiles[2] AS p90_us,
    l.quantiles[3] AS p99_us,
    l.quantiles[4] AS p99_9_us,
    l.quantiles[5] AS p99_99_us,
    l.most AS max_us
FROM
(
    SELECT *, count() OVER (PARTITION BY dimensions) AS alike
    FROM
    (
        SELECT v.*,
            arrayStringConcat(arrayConcat(
                arrayMap(d -> concat(d.1, ' ', trim(BOTH '"' FROM d.2)),
                    JSONExtractKeysAndValuesRaw(v.manifest, 'plan', 'varied') AS values),
                if(notEmpty(values) AND JSONExtractUInt(v.manifest, 'campaign', 'repeat') > 0,
                    [concat('repeat ', toString(JSONExtractUInt(v.manifest, 'campaign', 'repeat')))], [])),
                        ', ') AS dimensions
        FROM v_runs AS v
        WHERE v.run_id IN (SELECT run_id FROM wanted)
    )
) AS r
LEFT JOIN spans AS s ON s.run_id = r.run_id
LEFT JOIN
(
    SELECT v.run_id AS run_id, sum(v.events) AS messages, max(v.value_us) AS most,
        quantilesExactWeighted(0.5, 0.9, 0.99, 0.999, 0.9999)(v.value_us, v.events) AS quantiles
    FROM v_latency_1s AS v
    INNER JOIN spans ON spans.run_id = v.run_id
    WHERE v.run_id IN (SELECT run_id FROM wanted) AND v.stage = {stage:String}
        AND toUnixTimestamp(v.time) >= spans.first AND toUnixTimestamp(v.time) < spans.after
    GROUP BY run_id
) AS l ON l.run_id = r.run_id
LEFT JOIN
(
    SELECT v.run_id AS run_id, sum(v.events) AS acked
    FROM v_throughput_1s AS v
    INNER JOIN spans ON spans.run_id = v.run_id
    WHERE v.run_id IN (SELECT run_id FROM wanted) AND v.stage = 'acked'
        AND toUnixTimestamp(v.time) >= spans.first AND toUnixTimestamp(v.time) < spans.after
    GROUP BY run_id
) AS t ON t.run_id = r.run_id
ORDER BY started_time, run_id
