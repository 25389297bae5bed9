CREATE VIEW default.v_exact_percentiles
AS WITH
    (
        SELECT arraySort(groupUniqArray(CAST(topic, 'String')))
        FROM default.v_throughput_1s
        WHERE run_id = {run_id:String}
    ) AS topics
SELECT
    topics[bitShiftRight(place, 32)] AS topic,
    toInt64(bitAnd(place, 4294967295)) AS member,
    any(total) AS events,
    minIf(us, upto >= (0.5 * total)) AS p50_us,
    minIf(us, upto >= (0.75 * total)) AS p75_us,
    minIf(us, upto >= (0.9 * total)) AS p90_us,
    minIf(us, upto >= (0.95 * total)) AS p95_us,
    minIf(us, upto >= (0.99 * total)) AS p99_us,
    minIf(us, upto >= (0.999 * total)) AS p99_9_us,
    minIf(us, upto >= (0.9999 * total)) AS p99_99_us,
    max(us) AS max_us
FROM
(
    SELECT
        place,
        us,
        sum(messages) OVER (PARTITION BY place ORDER BY us ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto
    FROM
    (
        SELECT
            place,
            us,
            count() AS messages
        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String}, from_s = {from_s:Float64}, to_s = {to_s:Float64})
        GROUP BY
            place,
            us
    )
) AS v
INNER JOIN
(
    SELECT
        place,
        count() AS total
    FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String}, from_s = {from_s:Float64}, to_s = {to_s:Float64})
    GROUP BY place
) AS t USING (place)
GROUP BY place;
