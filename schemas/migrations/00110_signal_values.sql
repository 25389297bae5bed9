-- SPDX-License-Identifier: Apache-2.0
-- v_signals_of_1s(run_id = …, signals = …): the values of one run's signals, second by second.
-- signals: names separated by commas, or all. Only the signals asked for are read: percentiles per second cost more
-- than all metrics.
-- time: the second in which the middle of the two samples' span lies. A counter that went backwards, and samples more
-- than 2.5 s apart (but for spread), give no row, never a wrong number.
-- hour: filter by it to read a part of a long run cheaply; the first sample of an hour has no predecessor there.
-- broker: -1 where the metric does not belong to one broker.

-- +goose Up
CREATE OR REPLACE VIEW v_signals_of_1s AS
SELECT hour, host, device, broker, signal, any(of_unit) AS unit, time,
    multiIf(countIf(part = 'under') + countIf(part = 'over') = 0, if(any(part) = 'most', max(amount), sum(amount)),
        sumIf(amount, part = 'under') > 0, greatest(0, sumIf(amount, part = 'over')) / sumIf(amount, part = 'under'),
        NULL) AS value
FROM
(
    SELECT hour, host, device, broker, signal, of_unit, part,
        toDateTime(intDiv(at_ms - intDiv(span_ms, 2), 1000), 'UTC') AS middle,
        if(part = 'spread' AND span_ms > 2500,
            arrayMap(i -> toDateTime(intDiv(at_ms - 500, 1000) - i, 'UTC'), range(intDiv(span_ms, 1000))),
            [middle]) AS times,
        factor * multiIf(part IN ('value', 'most'), sample, part IN ('rate', 'spread'), 1000 * change / span_ms,
            part = 'fall', 1000 * greatest(0, -change) / span_ms,
            part = 'moved', 1000 * abs(change) / span_ms, change) AS amount
    FROM
    (
        SELECT hour, host, device,
            toInt32OrDefault(labels['broker'], toInt32(-1)) AS broker, signal, unit AS of_unit, part, factor, samples
        FROM
        (
            SELECT toStartOfHour(time) AS hour, metric, job, host, device, labels,
                arraySort(groupArray((toUnixTimestamp64Milli(time), value))) AS samples
            FROM host_metrics
            WHERE run_id = {run_id:String}
                AND metric IN (SELECT metric FROM v_signals WHERE {signals:String} = 'all'
                    OR has(splitByChar(',', {signals:String}), signal))
            GROUP BY hour, metric, job, host, device, labels
            UNION ALL
            -- Kafka exports a lifetime mean and a count; their product grows as a sum does.
            SELECT hour, replaceOne(name, '_mean', '_sum') AS metric, job, host, device, labels,
                arraySort(groupArray((at, assumeNotNull(mean * number)))) AS samples
            FROM
            (
                SELECT toStartOfHour(time) AS hour, replaceOne(metric, '_count', '_mean') AS name,
                    job, host, device, labels,
                    toUnixTimestamp64Milli(time) AS at,
                    maxOrNullIf(value, endsWith(metric, '_mean')) AS mean,
                    maxOrNullIf(value, endsWith(metric, '_count')) AS number
                FROM host_metrics
                WHERE run_id = {run_id:String}
                    AND (SELECT countIf(startsWith(metric, 'kafka_')) FROM v_signals
                        WHERE {signals:String} = 'all' OR has(splitByChar(',', {signals:String}), signal)) > 0
                    AND (metric LIKE 'kafka\\_request\\_%\\_time\\_seconds\\_%'
                        OR metric LIKE 'kafka\\_log\\_flush\\_time\\_seconds\\_%')
                GROUP BY hour, name, job, host, device, labels, at
            )
            WHERE mean * number IS NOT NULL
            GROUP BY hour, metric, job, host, device, labels
        ) AS series
        INNER JOIN
        (
            SELECT * FROM v_signals WHERE {signals:String} = 'all' OR has(splitByChar(',', {signals:String}), signal)
        ) AS known USING metric
        WHERE arrayAll(need -> need = '' OR if(position(need, '!') > 0,
                labels[splitByChar('!', need)[1]] != splitByChar('!', need)[2],
                if(startsWith(need, 'job='), job, labels[splitByChar('=', need)[1]]) = splitByChar('=', need)[2]),
            splitByChar(' ', needs))
    )
    ARRAY JOIN
        arrayPopFront(samples.1) AS at_ms,
        arrayPopFront(samples.2) AS sample,
        arrayPopFront(arrayDifference(samples.1)) AS span_ms,
        arrayPopFront(arrayDifference(samples.2)) AS change
    WHERE span_ms BETWEEN 1 AND if(part = 'spread', 30000, 2500)
        AND (change >= 0 OR part IN ('value', 'most', 'fall', 'moved'))
)
ARRAY JOIN times AS time
GROUP BY hour, host, device, broker, signal, time
HAVING isNotNull(value)
UNION ALL
SELECT toStartOfHour(time) AS hour, '' AS host, '' AS device, toInt32(-1) AS broker,
    concat(stage, entry.1) AS signal, 'ms' AS unit, time, toNullable(entry.2) AS value
FROM
(
    SELECT stage, time, quantilesExactWeighted(0.5, 0.99)(value_us, events) AS quantiles
    FROM v_latency_1s
    WHERE run_id = {run_id:String} AND ({signals:String} = 'all' OR match({signals:String}, '_p(50|99)_ms'))
    GROUP BY stage, time
)
ARRAY JOIN [('_p50_ms', quantiles[1] / 1000), ('_p99_ms', quantiles[2] / 1000)] AS entry
WHERE {signals:String} = 'all' OR has(splitByChar(',', {signals:String}), signal)
UNION ALL
SELECT toStartOfHour(time) AS hour, '' AS host, '' AS device, toInt32(-1) AS broker,
    concat(stage, '_per_s') AS signal, 'per s' AS unit, time, toNullable(toFloat64(sum(events))) AS value
FROM v_throughput_1s
WHERE run_id = {run_id:String} AND ({signals:String} = 'all' OR has(splitByChar(',', {signals:String}), signal))
GROUP BY stage, time;
