CREATE VIEW default.v_host_conditions
AS WITH
    (
        SELECT (min(first_s), min(end_s))
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure,
    (
        SELECT JSONExtractFloat(any(manifest), 'host', 'usable_cpus')
        FROM default.v_runs
        WHERE run_id = {run_id:String}
    ) AS usable
SELECT
    host,
    count() AS seconds,
    quantileExact(0.5)(host_cores) AS cores,
    countIf(busy >= 0.95) AS used_up_s,
    countIf(loader >= (0.9 * if(usable > 0, least(usable, host_cores), host_cores))) AS loader_s,
    countIf(stolen >= (0.05 * host_cores)) AS stolen_s,
    avg(stolen / host_cores) AS stolen_share
FROM
(
    SELECT
        host,
        time,
        maxIf(value, signal = 'host_busy_share') AS busy,
        round(maxIf(value, signal = 'host_busy_cores') / busy) AS host_cores,
        maxIf(value, signal = 'host_steal_cores') AS stolen,
        maxIf(value, signal = 'loader_cores') AS loader
    FROM v_signals_of_1s(run_id = {run_id:String}, signals = 'host_busy_share,host_busy_cores,host_steal_cores,loader_cores')
    WHERE (hour >= toStartOfHour(toDateTime(measure.1, 'UTC'))) AND (hour <= toDateTime(measure.2, 'UTC')) AND (time >= toDateTime(measure.1, 'UTC')) AND (time < toDateTime(measure.2, 'UTC'))
    GROUP BY
        host,
        time
    HAVING (busy > 0) AND (host_cores > 0)
)
GROUP BY host;
