CREATE VIEW default.v_measure_intervals
AS WITH
    (
        SELECT (min(first_s), min(end_s))
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure,
    greatest(1, intDivOrZero(((measure.2) - (measure.1)) + 59, 60)) AS step_s
SELECT
    number,
    concat(stage, quantile.1) AS measure_name,
    toFloat64(quantile.2) AS value
FROM
(
    SELECT
        stage,
        intDiv(toUnixTimestamp(time) - (measure.1), step_s) AS number,
        quantilesExactWeighted(0.5, 0.99)(value_us, events) AS found
    FROM default.v_latency_1s
    WHERE (run_id = {run_id:String}) AND (stage IN ('publish', 'publish_delay')) AND (((measure.2) - (measure.1)) <= 3600) AND (time >= toDateTime(measure.1, 'UTC')) AND (time < toDateTime(measure.2, 'UTC'))
    GROUP BY
        stage,
        number
)
ARRAY JOIN [('_p50_us', found[1]), ('_p99_us', found[2])] AS quantile
UNION ALL
WITH
    (
        SELECT (min(first_s), min(end_s))
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure,
    greatest(1, intDivOrZero(((measure.2) - (measure.1)) + 59, 60)) AS step_s
SELECT
    number,
    'cpu_us_per_message' AS measure_name,
    (1000000. * sum(cores)) / sum(messages) AS value
FROM
(
    SELECT
        intDiv(toUnixTimestamp(time) - (measure.1), step_s) AS number,
        assumeNotNull(value) AS cores,
        0 AS messages
    FROM v_signals_of_1s(run_id = {run_id:String}, signals = 'loader_cores')
    WHERE (hour >= toStartOfHour(toDateTime(measure.1, 'UTC'))) AND (hour <= toDateTime(measure.2, 'UTC')) AND (((measure.2) - (measure.1)) <= 3600) AND (time >= toDateTime(measure.1, 'UTC')) AND (time < toDateTime(measure.2, 'UTC'))
    UNION ALL
    SELECT
        intDiv(toUnixTimestamp(time) - (measure.1), step_s) AS number,
        0 AS cores,
        events AS messages
    FROM default.v_throughput_1s
    WHERE (run_id = {run_id:String}) AND (stage IN ('acked', 'received')) AND (((measure.2) - (measure.1)) <= 3600) AND (time >= toDateTime(measure.1, 'UTC')) AND (time < toDateTime(measure.2, 'UTC'))
)
GROUP BY number
HAVING (sum(messages) > 0) AND (sum(cores) > 0);
