-- Exact percentiles (nearest rank) in bounded memory:
-- v_exact_percentiles(run_id = …, stage = …, by = …, from_s = …, to_s = …), a row per member of the group.
-- stage: publish_delay, publish_service, publish or end_to_end. by: run, topic, partition, producer or worker; of
-- end_to_end subscription or consumer too. from_s, to_s: window in s after the measure phase began, in which messages
-- were due; to_s 0 is the end of that phase.

-- +goose Up

-- What is ranked: each message's latency, and its place: number of the topic (32 bits) and member. Conditions on
-- parameters are constants: only columns are read that the stage and the group need.
CREATE VIEW IF NOT EXISTS v_latency_values AS
WITH
    (SELECT (min(start_time), max(end_time)) FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure,
    measure.1 + toIntervalMicrosecond(toInt64({from_s:Float64} * 1e6)) AS window_start,
    if({to_s:Float64} = 0, measure.2, measure.1 + toIntervalMicrosecond(toInt64({to_s:Float64} * 1e6))) AS window_end,
    (SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS topics
SELECT
    if({stage:String} = 'publish', publish_latency_us,
    if({stage:String} = 'publish_delay', publish_delay_us, publish_service_us)) AS us,
    if({by:String} = 'partition', toUInt64(partition),
    if({by:String} = 'producer', toUInt64(producer),
    if({by:String} = 'worker', toUInt64(worker), 0)))
        + if({by:String} IN ('topic', 'partition'), bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
FROM v_publishes
WHERE {stage:String} IN ('publish', 'publish_delay', 'publish_service')
    AND {by:String} IN ('run', 'topic', 'partition', 'producer', 'worker')
    AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end
UNION ALL
SELECT
    end_to_end_us AS us,
    if({by:String} = 'partition', toUInt64(partition),
    if({by:String} = 'producer', toUInt64(producer),
    if({by:String} = 'worker', toUInt64(worker),
    if({by:String} = 'consumer', toUInt64(consumer),
    if({by:String} = 'subscription', toUInt64(subscription), 0)))))
        + if({by:String} IN ('topic', 'partition', 'subscription'), bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
FROM v_deliveries
WHERE {stage:String} = 'end_to_end'
    AND {by:String} IN ('run', 'topic', 'partition', 'producer', 'worker', 'consumer', 'subscription')
    AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end;

-- Counts of equal values, in order, added up: grouping and sorting go to disk where a run has too many different ones,
-- which the states of quantile functions cannot. The sums of all are counted apart, as a window would keep its partition.
CREATE VIEW IF NOT EXISTS v_exact_percentiles AS
WITH (SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS topics
SELECT
    topics[bitShiftRight(place, 32)] AS topic,
    toInt64(bitAnd(place, 4294967295)) AS member,
    any(total) AS events,
    minIf(us, upto >= 0.5 * total) AS p50_us,
    minIf(us, upto >= 0.75 * total) AS p75_us,
    minIf(us, upto >= 0.9 * total) AS p90_us,
    minIf(us, upto >= 0.95 * total) AS p95_us,
    minIf(us, upto >= 0.99 * total) AS p99_us,
    minIf(us, upto >= 0.999 * total) AS p99_9_us,
    minIf(us, upto >= 0.9999 * total) AS p99_99_us,
    max(us) AS max_us
FROM
(
    SELECT place, us, sum(messages) OVER (PARTITION BY place ORDER BY us ROWS UNBOUNDED PRECEDING) AS upto
    FROM
    (
        SELECT place, us, count() AS messages
        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
            from_s = {from_s:Float64}, to_s = {to_s:Float64})
        GROUP BY place, us
    )
) AS v
INNER JOIN
(
    SELECT place, count() AS total
    FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
            from_s = {from_s:Float64}, to_s = {to_s:Float64})
    GROUP BY place
) AS t USING (place)
GROUP BY place;
