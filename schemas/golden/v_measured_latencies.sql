CREATE VIEW default.v_measured_latencies
AS WITH
    (
        SELECT (start_time, open_end_time)
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure
SELECT
    'publish_delay' AS stage,
    value_us,
    sum(events) AS messages
FROM default.v_latency_1s AS l
WHERE (run_id = {run_id:String}) AND (l.stage = 'publish_delay') AND (time >= (measure.1)) AND (time < (measure.2))
GROUP BY value_us
UNION ALL
WITH
    (
        SELECT (start_time, open_end_time)
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure
SELECT
    'publish_service' AS stage,
    value_us,
    sum(events) AS messages
FROM default.v_latency_1s AS l
WHERE (run_id = {run_id:String}) AND (l.stage = 'publish_service') AND (time >= (measure.1)) AND (time < (measure.2))
GROUP BY value_us
UNION ALL
WITH
    (
        SELECT (start_time, open_end_time)
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure
SELECT
    'publish' AS stage,
    value_us,
    sum(events) AS messages
FROM default.v_latency_1s AS l
WHERE (run_id = {run_id:String}) AND (l.stage = 'publish') AND (time >= (measure.1)) AND (time < (measure.2))
GROUP BY value_us
UNION ALL
WITH
    (
        SELECT (start_time, open_end_time)
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure
SELECT
    'end_to_end' AS stage,
    value_us,
    sum(events) AS messages
FROM default.v_latency_1s AS l
WHERE (run_id = {run_id:String}) AND (l.stage = 'end_to_end') AND (time >= (measure.1)) AND (time < (measure.2))
GROUP BY value_us;
