CREATE VIEW default.v_stage_percentiles
AS SELECT
    'publish_delay' AS stage,
    events,
    p50_us,
    p75_us,
    p90_us,
    p95_us,
    p99_us,
    p99_9_us,
    p99_99_us,
    max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'publish_delay', ''), by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT
    'publish_service' AS stage,
    events,
    p50_us,
    p75_us,
    p90_us,
    p95_us,
    p99_us,
    p99_9_us,
    p99_99_us,
    max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'publish_service', ''), by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT
    'publish' AS stage,
    events,
    p50_us,
    p75_us,
    p90_us,
    p95_us,
    p99_us,
    p99_9_us,
    p99_99_us,
    max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'publish', ''), by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT
    'end_to_end' AS stage,
    events,
    p50_us,
    p75_us,
    p90_us,
    p95_us,
    p99_us,
    p99_9_us,
    p99_99_us,
    max_us
FROM v_exact_percentiles(run_id = {run_id:String}, stage = if({source:String} = 'rows', 'end_to_end', ''), by = 'run', from_s = 0, to_s = 0)
UNION ALL
SELECT
    stage,
    events,
    quantiles[1] AS p50_us,
    quantiles[2] AS p75_us,
    quantiles[3] AS p90_us,
    quantiles[4] AS p95_us,
    quantiles[5] AS p99_us,
    quantiles[6] AS p99_9_us,
    quantiles[7] AS p99_99_us,
    max_us
FROM
(
    SELECT
        stage,
        sum(messages) AS events,
        max(value_us) AS max_us,
        quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(value_us, messages) AS quantiles
    FROM v_measured_latencies(run_id = {run_id:String})
    WHERE {source:String} = 'rollup'
    GROUP BY stage
);
