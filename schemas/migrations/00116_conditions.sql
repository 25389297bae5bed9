-- SPDX-License-Identifier: Apache-2.0
-- Conditions: whether a run's numbers are of a machine with CPU to spare, and of a load that no longer warmed up.

-- +goose Up
-- v_host_conditions(run_id = …): per host, in how many whole seconds of the measure phase its cores were used up.
-- Absolute: used_up_s counts seconds with at least 95 % of all cores busy (stolen time counts as busy), loader_s those
-- in which load generators took at least 90 % of the cores that they may use, stolen_s those with at least 5 % stolen.
CREATE OR REPLACE VIEW v_host_conditions AS
WITH
    (SELECT (min(first_s), min(end_s)) FROM v_measure_phase(run_id = {run_id:String})) AS measure,
    (SELECT JSONExtractFloat(any(manifest), 'host', 'usable_cpus') FROM v_runs WHERE run_id = {run_id:String}) AS usable
SELECT
    host,
    count() AS seconds,
    quantileExact(0.5)(host_cores) AS cores,
    countIf(busy >= 0.95) AS used_up_s,
    countIf(loader >= 0.9 * if(usable > 0, least(usable, host_cores), host_cores)) AS loader_s,
    countIf(stolen >= 0.05 * host_cores) AS stolen_s,
    avg(stolen / host_cores) AS stolen_share
FROM
(
    SELECT host, time,
        maxIf(value, signal = 'host_busy_share') AS busy,
        round(maxIf(value, signal = 'host_busy_cores') / busy) AS host_cores,
        maxIf(value, signal = 'host_steal_cores') AS stolen,
        maxIf(value, signal = 'loader_cores') AS loader
    FROM v_signals_of_1s(run_id = {run_id:String},
        signals = 'host_busy_share,host_busy_cores,host_steal_cores,loader_cores')
    WHERE hour >= toStartOfHour(toDateTime(measure.1, 'UTC')) AND hour <= toDateTime(measure.2, 'UTC')
        AND time >= toDateTime(measure.1, 'UTC') AND time < toDateTime(measure.2, 'UTC')
    GROUP BY host, time
    HAVING busy > 0 AND host_cores > 0
)
GROUP BY host;

-- v_measure_intervals(run_id = …): latencies and the load generator's CPU time per message in up to 60 intervals of a
-- measure phase of at most an hour, for the trend test. Longer runs have no row: explain finds their steps and trends.
CREATE OR REPLACE VIEW v_measure_intervals AS
WITH
    (SELECT (min(first_s), min(end_s)) FROM v_measure_phase(run_id = {run_id:String})) AS measure,
    greatest(1, intDivOrZero(measure.2 - measure.1 + 59, 60)) AS step_s
SELECT number, concat(stage, quantile.1) AS measure_name, toFloat64(quantile.2) AS value
FROM
(
    SELECT stage, intDiv(toUnixTimestamp(time) - measure.1, step_s) AS number,
        quantilesExactWeighted(0.5, 0.99)(value_us, events) AS found
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND stage IN ('publish', 'publish_delay') AND measure.2 - measure.1 <= 3600
        AND time >= toDateTime(measure.1, 'UTC') AND time < toDateTime(measure.2, 'UTC')
    GROUP BY stage, number
)
ARRAY JOIN [('_p50_us', found[1]), ('_p99_us', found[2])] AS quantile
UNION ALL
SELECT number, 'cpu_us_per_message' AS measure_name, 1e6 * sum(cores) / sum(messages) AS value
FROM
(
    SELECT intDiv(toUnixTimestamp(time) - measure.1, step_s) AS number, assumeNotNull(value) AS cores, 0 AS messages
    FROM v_signals_of_1s(run_id = {run_id:String}, signals = 'loader_cores')
    WHERE hour >= toStartOfHour(toDateTime(measure.1, 'UTC')) AND hour <= toDateTime(measure.2, 'UTC')
        AND measure.2 - measure.1 <= 3600
        AND time >= toDateTime(measure.1, 'UTC') AND time < toDateTime(measure.2, 'UTC')
    UNION ALL
    SELECT intDiv(toUnixTimestamp(time) - measure.1, step_s) AS number, 0 AS cores, events AS messages
    FROM v_throughput_1s
    WHERE run_id = {run_id:String} AND stage IN ('acked', 'received') AND measure.2 - measure.1 <= 3600
        AND time >= toDateTime(measure.1, 'UTC') AND time < toDateTime(measure.2, 'UTC')
)
GROUP BY number
HAVING sum(messages) > 0 AND sum(cores) > 0;
