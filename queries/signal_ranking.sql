-- SPDX-License-Identifier: Apache-2.0
-- name: signal_ranking
-- purpose: How far each signal left its baseline during an episode, when it began, and how well it follows p99;
--     highest score first.
-- param run_id String: run to read
-- param stage String = publish in publish|end_to_end: the latency of the episode
-- param from DateTime('UTC'): first second of the episode
-- param to DateTime('UTC') in >=from: last second of the episode
-- param limit_us Int64 = 9000000000000: p99 up to which a second counts as quiet, µs
-- param around_s UInt32 = 1800: seconds before and after the episode to take quiet seconds from
-- returns signal String, unit String, host String, device String, broker Int32, before Nullable(Float64),
--     during Nullable(Float64), low Nullable(Float64), peak Nullable(Float64), quiet_peak Nullable(Float64),
--     z Nullable(Float64), onset_s Nullable(Int32), rho Nullable(Float64), quiet_seconds UInt64, seconds UInt64,
--     score Float64
-- before: median of the quiet seconds.
-- during: upper quartile of the episode; for a signal that fell, the lower quartile (low).
-- peak, quiet_peak: 95th percentile of the episode's seconds, and of the quiet seconds.
-- z: (during - before) over the quiet seconds' spread (1.4826 × MAD; at least 5 % of before, and a floor by unit).
-- onset_s: first of two consecutive seconds past half of the difference, from the episode's start; negative: the signal
-- moved before latency.
-- rho: rank correlation over all these seconds with p99 of the signal's broker; with p99 of all messages if the signal
-- belongs to no broker or there is one broker.
-- score: z up to 50, times (0.5 + |rho|), halved if the signal began over 2 s after latency.
-- long: quiet seconds, signals and latency must be of one statement, for their seconds are joined.
WITH
    toUnixTimestamp({from:DateTime('UTC')}) AS first_s,
    toUnixTimestamp({to:DateTime('UTC')}) AS last_s,
    {from:DateTime('UTC')} - {around_s:UInt32} AS since,
    {to:DateTime('UTC')} + {around_s:UInt32} AS until,
    (SELECT (min(start_time), min(end_time)) FROM v_measure_phase(run_id = {run_id:String})) AS measure,
    (SELECT uniqExact(leader) FROM v_partition_leaders WHERE run_id = {run_id:String} AND leader >= 0) > 1 AS several,
    (SELECT (min(time), max(time)) FROM v_throughput_1s WHERE run_id = {run_id:String}
        AND stage = 'received') AS receiving,
    overall AS
    (
        SELECT time, toFloat64(quantileExactWeighted(0.99)(value_us, events)) AS p99_us
        FROM v_latency_1s
        WHERE run_id = {run_id:String} AND stage = {stage:String} AND time BETWEEN since AND until
            -- A run without a measure phase, or without its recorded end, lasts as long as its rows.
            AND time >= measure.1 AND (time < measure.2 OR measure.2 <= measure.1)
        GROUP BY time
    ),
    -- Only raw rows show which broker answered; they are read near the episode, if there are several brokers.
    led AS
    (
        SELECT broker, time, toFloat64(quantileExact(0.99)(us)) AS p99_us
        FROM
        (
            SELECT m.time AS time, l.leader AS broker, m.us AS us
            FROM
            (
                SELECT topic, partition, intended_time, toStartOfSecond(intended_time) AS time, us
                FROM v_stage_messages(run_id = {run_id:String}, stage = {stage:String})
                WHERE several AND intended_time BETWEEN {from:DateTime('UTC')} - 30 AND {to:DateTime('UTC')} + 10
            ) AS m
            ASOF JOIN (SELECT topic, partition, time AS seen, leader FROM v_partition_leaders
                WHERE run_id = {run_id:String}) AS l
                ON l.topic = m.topic AND l.partition = m.partition AND l.seen <= m.intended_time
        )
        GROUP BY broker, time
    ),
    latency AS
    (
        SELECT toInt32(broker) AS broker, toDateTime(time, 'UTC') AS time, p99_us FROM led
        UNION ALL
        SELECT toInt32(-1) AS broker, time, p99_us FROM overall
    ),
    signals AS
    (
        SELECT s.signal AS signal, s.unit AS unit, toString(s.host) AS host, toString(s.device) AS device,
            s.time AS time,
            assumeNotNull(s.value) AS value,
            multiIf(s.broker >= 0, s.broker, d.host != '', toInt32(d.broker), toInt32(-1)) AS broker
        FROM v_signals_of_1s(run_id = {run_id:String}, signals = 'all') AS s
        LEFT JOIN (SELECT host, device, broker FROM v_broker_drives WHERE run_id = {run_id:String}) AS d
            ON d.host = s.host AND d.device = s.device
        WHERE s.hour BETWEEN toStartOfHour(since) AND toStartOfHour(until)
            AND s.time BETWEEN since AND until
        UNION ALL
        -- A second with acknowledged and without received messages has no row in the rollup.
        SELECT 'received_per_s' AS signal, 'per s' AS unit, '' AS host, '' AS device, time, toFloat64(0) AS value,
            toInt32(-1) AS broker
        FROM
        (
            SELECT time
            FROM v_throughput_1s
            WHERE run_id = {run_id:String} AND stage IN ('acked', 'received') AND time BETWEEN since AND until
            GROUP BY time
            HAVING max(stage = 'received') = 0
        )
        WHERE time BETWEEN receiving.1 AND receiving.2
    )
SELECT
    signal, unit, host, device, broker, before, during, low, peak, quiet_peak, z,
    if(onset = 0, NULL, toInt32(onset - toInt64(first_s))) AS onset_s,
    if(isFinite(correlation), correlation, NULL) AS rho,
    quiet_seconds, seconds,
    least(ifNull(abs(z), 0), 50) / 50 * (0.5 + abs(ifNull(rho, 0))) * if(ifNull(onset_s, 9) > 2, 0.5, 1) AS score
FROM
(
    SELECT
        signal, unit, host, device, broker, correlation,
        length(quiet) AS quiet_seconds,
        length(loud) AS seconds,
        if(quiet_seconds < 5, NULL, arrayReduce('quantileExact', quiet)) AS before,
        arrayReduce('quantileExact(0.75)', loud) AS high,
        if(seconds = 0, NULL, arrayReduce('quantileExact(0.25)', loud)) AS low,
        if(seconds = 0, NULL, if(abs(high - before) >= abs(low - before), high, low)) AS during,
        if(seconds = 0, NULL, arrayReduce('quantileExact(0.95)', loud)) AS peak,
        if(quiet_seconds < 5, NULL, arrayReduce('quantileExact(0.95)', quiet)) AS quiet_peak,
        1.4826 * arrayReduce('quantileExact', arrayMap(v -> abs(v - assumeNotNull(before)), quiet)) AS spread,
        multiIf(unit = 'ms', 0.1, unit IN ('share', 'cores'), 0.01, unit IN ('MB/s', 'MB', 'requests'), 0.1,
            1) AS least_spread,
        (during - before) / greatest(spread, 0.05 * abs(before), least_spread) AS z,
        if(z IS NULL, [], arrayMap(p -> (p.1, if(during >= before, p.2 - (before + during) / 2, (before + during) / 2
            - p.2) >= 0), near)) AS past,
        arrayFirst((p, i) -> p.2 AND (i = length(past) OR past[i + 1].2), past, arrayEnumerate(past)).1 AS onset
    FROM
    (
        SELECT
            s.signal AS signal, any(s.unit) AS unit, s.host AS host, s.device AS device, s.broker AS broker,
            groupArrayIf(s.value, s.time IN (SELECT time FROM overall WHERE p99_us <= {limit_us:Int64})
                AND NOT s.time BETWEEN {from:DateTime('UTC')} - 1 AND {to:DateTime('UTC')} + 3) AS quiet,
            groupArrayIf(s.value, s.time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}) AS loud,
            arraySort(groupArrayIf((toInt64(toUnixTimestamp(s.time)), s.value),
                s.time BETWEEN {from:DateTime('UTC')} - 10 AND {to:DateTime('UTC')})) AS near,
            if(max(s.value) > min(s.value), rankCorrIf(s.value, l.p99_us, l.p99_us > 0), NULL) AS correlation
        FROM signals AS s
        LEFT JOIN latency AS l ON l.time = s.time AND l.broker = if(several, s.broker, -1)
        GROUP BY signal, host, device, broker
    )
)
WHERE z IS NOT NULL
ORDER BY score DESC, signal, host, device, broker
