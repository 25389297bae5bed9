-- SPDX-License-Identifier: Apache-2.0
-- name: latency_by_group
-- purpose: Exact latency percentiles (nearest rank, raw rows) of one stage, by any group, in any window, in µs.
-- param run_id String: run to read
-- param stage String = end_to_end: publish, publish_delay, publish_service or end_to_end
-- param by String = partition: run, second, topic, partition, producer or worker; of end_to_end subscription or consumer too
-- param from_s Float64 = 0: start of the window, s after the measure phase began; negative reaches into the warm-up
-- param to_s Float64 = 0: end of the window, likewise; 0 for the end of the measure phase
-- returns topic String, member Int64, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
-- member is the number of the partition, producer, …; of a second its s since 1970; of topics and the run 0. A message is in the window when it was due there.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT end_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end,
    measure_start + toIntervalMicrosecond(toInt64({from_s:Float64} * 1e6)) AS window_start,
    if({to_s:Float64} = 0, measure_end, measure_start + toIntervalMicrosecond(toInt64({to_s:Float64} * 1e6))) AS window_end
SELECT topic, member, events, p50_us, p75_us, p90_us, p95_us, p99_us, p99_9_us, p99_99_us, max_us
FROM
(
    SELECT *
    FROM v_exact_percentiles(run_id = {run_id:String}, stage = {stage:String}, by = {by:String},
        from_s = {from_s:Float64}, to_s = {to_s:Float64})
    UNION ALL
    SELECT '' AS topic, second AS member, messages AS events, quantiles[1] AS p50_us, quantiles[2] AS p75_us, quantiles[3] AS p90_us,
        quantiles[4] AS p95_us, quantiles[5] AS p99_us, quantiles[6] AS p99_9_us, quantiles[7] AS p99_99_us, most AS max_us
    FROM
    (
        SELECT
            second,
            count() AS messages,
            -- The weighted form counts equal values, which is cheaper than keeping and sorting every message.
            quantilesExactWeighted(0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)(us, 1) AS quantiles,
            max(us) AS most
        FROM
        (
            SELECT toInt64(toUnixTimestamp(intended_time)) AS second,
                if({stage:String} = 'publish', publish_latency_us,
                if({stage:String} = 'publish_delay', publish_delay_us, publish_service_us)) AS us
            FROM v_publishes
            WHERE {by:String} = 'second' AND {stage:String} IN ('publish', 'publish_delay', 'publish_service')
                AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end
            UNION ALL
            SELECT toInt64(toUnixTimestamp(intended_time)) AS second, end_to_end_us AS us
            FROM v_deliveries
            WHERE {by:String} = 'second' AND {stage:String} = 'end_to_end'
                AND run_id = {run_id:String} AND intended_time >= window_start AND intended_time < window_end
        )
        GROUP BY second
    )
)
ORDER BY topic, member
