-- SPDX-License-Identifier: Apache-2.0
-- name: latency_by_group
-- purpose: Exact latency percentiles (nearest rank, raw rows) of one stage, by any group, in any window, in µs.
-- param run_id String: run to read
-- param stage String = end_to_end in publish|publish_delay|publish_service|end_to_end: latency to read
-- param by String = partition in run|second|topic|partition|producer|worker|subscription|consumer: what makes a group
-- only by=subscription|consumer with stage=end_to_end
-- param from_s Float64 = 0: start of the window, s after the measure phase began; negative reaches into the warm-up
-- param to_s Float64 = 0 in 0|>from_s: end of the window, likewise; 0 for the end of the measure phase
-- returns topic String, member Int64, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
-- member is the number of the partition, producer, …; of a second its s since 1970; of topics and the run 0. A message is in the window when it was due there.
-- Every group keeps a count per different latency in memory; where those are too many (code 241), ask latency_by_group_bounded.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT end_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end,
    measure_start + toIntervalMicrosecond(toInt64({from_s:Float64} * 1e6)) AS window_start,
    if({to_s:Float64} = 0, measure_end, measure_start + toIntervalMicrosecond(toInt64({to_s:Float64} * 1e6))) AS window_end,
    (SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) FROM v_throughput_1s WHERE run_id = {run_id:String}) AS topics
SELECT
    topic,
    member,
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
        -- One number is a faster key than a name and a number.
        if(key < 4294967296, '', topics[bitShiftRight(key, 32)]) AS topic,
        toInt64(bitAnd(key, 4294967295)) AS member,
        count() AS events,
        -- The weighted form counts equal values, which is cheaper than keeping and sorting every message.
        quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(us, 1) AS quantiles,
        max(us) AS max_us
    FROM
    (
        -- Conditions on parameters are constants: only the columns that a group needs are read.
        SELECT
            if({by:String} = 'partition', toInt64(partition),
            if({by:String} = 'producer', toInt64(producer),
            if({by:String} = 'worker', toInt64(worker),
            if({by:String} = 'second', toInt64(toUnixTimestamp(intended_time)), 0))))
                + if({by:String} = 'topic' OR {by:String} = 'partition' OR {by:String} = 'subscription',
                    bitShiftLeft(toInt64(indexOf(topics, topic)), 32), 0) AS key,
            if({stage:String} = 'publish', publish_latency_us,
            if({stage:String} = 'publish_delay', publish_delay_us, publish_service_us)) AS us
        FROM v_publishes
        WHERE {stage:String} IN ('publish', 'publish_delay', 'publish_service')
            AND {by:String} IN ('run', 'second', 'topic', 'partition', 'producer', 'worker')
            AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end
        UNION ALL
        SELECT
            if({by:String} = 'partition', toInt64(partition),
            if({by:String} = 'producer', toInt64(producer),
            if({by:String} = 'worker', toInt64(worker),
            if({by:String} = 'consumer', toInt64(consumer),
            if({by:String} = 'subscription', toInt64(subscription),
            if({by:String} = 'second', toInt64(toUnixTimestamp(intended_time)), 0))))))
                + if({by:String} = 'topic' OR {by:String} = 'partition' OR {by:String} = 'subscription',
                    bitShiftLeft(toInt64(indexOf(topics, topic)), 32), 0) AS key,
            end_to_end_us AS us
        FROM v_deliveries
        WHERE {stage:String} = 'end_to_end'
            AND {by:String} IN ('run', 'second', 'topic', 'partition', 'producer', 'worker', 'subscription', 'consumer')
            AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end
    )
    GROUP BY key
)
ORDER BY topic, member
