-- SPDX-License-Identifier: Apache-2.0
-- Experiments: what the verdicts on published experiments read, one row per run.

-- +goose Up
-- v_experiment_spans(runs = 'ID,ID,…'): the times of each run.
-- warm_from … load_to is the time under load. load_from is where warm-up and filling end, and measuring or a backlog
-- begins. In noise_from … noise_to the host is watched for noise; for a load of less than 10 s that is a little longer.
-- first_s … end_s are the seconds that lie wholly in the measure phase, in seconds since 1970.
CREATE OR REPLACE VIEW v_experiment_spans AS
SELECT
    run_id,
    minIf(start_time, phase != 'probe') AS warm_from,
    minIf(start_time, phase NOT IN ('probe', 'warmup', 'settle', 'retention_fill')) AS load_from,
    minIf(start_time, phase IN ('drain', 'end')) AS load_to,
    load_from - if(dateDiff('second', load_from, load_to) < 10, 5, 0) AS noise_from,
    load_to + if(dateDiff('second', load_from, load_to) < 10, 1, 0) AS noise_to,
    minIf(start_time, phase = 'measure') AS measure_from,
    minIf(end_time, phase = 'measure') AS measure_to,
    toUInt32(ceil(toUnixTimestamp64Micro(measure_from) / 1e6)) AS first_s,
    toUInt32(floor(toUnixTimestamp64Micro(measure_to) / 1e6)) AS end_s
FROM v_phases
WHERE run_id IN (SELECT arrayJoin(splitByChar(',', {runs:String})))
GROUP BY run_id;

-- v_experiment_runs(runs = 'ID,ID,…'): what was offered and reached, and whether a verdict on the run is possible.
-- Rates and latencies are of the seconds that lie wholly in the measure phase.
-- unsound: why the run supports no conclusion; empty when it does. noise: the part of unsound that is not the audit's.
-- Messages that were never sent are no reason: they show that a rate was not reached.
-- Scheduling lag: 9 of 10 seconds must be calm; for a load of less than 10 s half of them, because clients have just
-- started.
CREATE OR REPLACE VIEW v_experiment_runs AS
WITH
    asked AS (SELECT arrayJoin(splitByChar(',', {runs:String})) AS id),
    spans AS (SELECT * FROM v_experiment_spans(runs = {runs:String})),
    grown AS
    (
        SELECT m.run_id AS run_id, m.metric AS metric, m.host AS host, m.labels AS labels,
            greatest(0, argMax(m.value, m.time) - argMin(m.value, m.time)) AS seconds
        FROM v_host_metrics AS m
        INNER JOIN spans AS s ON s.run_id = m.run_id
        WHERE m.run_id IN (SELECT id FROM asked) 
            AND m.metric IN ('node_cpu_seconds_total', 'procprobe_cpu_seconds_total')
            AND m.time >= s.noise_from AND m.time < s.noise_to
        GROUP BY run_id, metric, host, labels
    ),
    cpu AS
    (
        SELECT
            run_id,
            max(stolen / total) AS steal_share,
            maxOrNullIf(greatest(0, busy - own) / total, probed > 0) AS other_share
        FROM
        (
            SELECT run_id, host,
                sumIf(seconds, metric = 'node_cpu_seconds_total') AS total,
                sumIf(seconds, metric = 'node_cpu_seconds_total' AND labels['mode'] = 'steal') AS stolen,
                sumIf(seconds, metric = 'node_cpu_seconds_total'
                    AND labels['mode'] NOT IN ('idle', 'iowait', 'steal')) AS busy,
                sumIf(seconds, metric = 'procprobe_cpu_seconds_total') AS own,
                countIf(metric = 'procprobe_cpu_seconds_total') AS probed
            FROM grown
            GROUP BY run_id, host
        )
        WHERE total > 0
        GROUP BY run_id
    ),
    lags AS
    (
        SELECT m.run_id AS run_id,
            1000 * if(any(s.noise_from) < any(s.load_from), quantileExact(0.5)(m.value),
                quantileExact(0.9)(m.value)) AS lag_ms
        FROM v_host_metrics AS m
        INNER JOIN spans AS s ON s.run_id = m.run_id
        WHERE m.run_id IN (SELECT id FROM asked) AND m.metric = 'tailrace_loader_scheduling_lag_max_seconds'
            AND m.time >= s.noise_from AND m.time < s.noise_to
        GROUP BY run_id
    ),
    done AS
    (
        SELECT t.run_id AS run_id, sum(t.events) / any(s.end_s - s.first_s) AS acked_per_s
        FROM v_throughput_1s AS t
        INNER JOIN spans AS s ON s.run_id = t.run_id
        WHERE t.run_id IN (SELECT id FROM asked) AND t.stage = 'acked'
            AND toUnixTimestamp(t.time) >= s.first_s AND toUnixTimestamp(t.time) < s.end_s
        GROUP BY run_id
    ),
    latencies AS
    (
        SELECT l.run_id AS run_id,
            quantileExactWeightedIf(0.5)(l.value_us, l.events, l.stage = 'end_to_end') / 1000 AS p50_ms,
            quantileExactWeightedIf(0.99)(l.value_us, l.events, l.stage = 'end_to_end') / 1000 AS p99_ms,
            quantileExactWeightedIf(0.99)(l.value_us, l.events, l.stage = 'publish') / 1000 AS publish_p99_ms
        FROM v_latency_1s AS l
        INNER JOIN spans AS s ON s.run_id = l.run_id
        WHERE l.run_id IN (SELECT id FROM asked) AND l.stage IN ('end_to_end', 'publish')
            AND toUnixTimestamp(l.time) >= s.first_s AND toUnixTimestamp(l.time) < s.end_s
        GROUP BY run_id
    )
SELECT
    r.run_id AS run_id,
    if(position(lower(r.driver_name), 'redpanda') > 0, 'redpanda', 'kafka') AS system,
    JSONExtractRaw(r.manifest, 'plan') AS plan,
    JSONExtractFloat(r.manifest, 'experiment', 'drive_limit_mb_per_s') AS drive_limit_mb_per_s,
    JSONExtractString(plan, 'producer_config', 'security.protocol') LIKE '%SSL' AS tls,
    JSONExtractFloat(plan, 'messages_per_second') AS offered_per_s,
    JSONExtractFloat(plan, 'message_bytes') AS message_bytes,
    JSONExtractUInt(plan, 'producers') AS producers,
    JSONExtractUInt(plan, 'partitions') AS partitions,
    s.warm_from AS warm_from,
    s.load_from AS load_from,
    s.load_to AS load_to,
    s.measure_from AS measure_from,
    s.measure_to AS measure_to,
    toFloat64(d.acked_per_s) AS acked_per_s,
    l.p50_ms AS p50_ms,
    l.p99_ms AS p99_ms,
    l.publish_p99_ms AS publish_p99_ms,
    toFloat64(c.steal_share) AS steal_share,
    c.other_share AS other_share,
    g.lag_ms AS lag_ms,
    arrayDistinct(JSONExtract(r.audit, 'failures', 'Array(Tuple(check String))').check) AS failed_checks,
    multiIf(
        s.load_from = toDateTime64(0, 6, 'UTC') OR s.load_to <= s.load_from, 'it has no phase under load',
        c.run_id = '' OR g.run_id = '', 'nothing was measured of the machine and the load generator',
        c.steal_share > 0.05, concat('the machine was noisy: ', toString(round(100 * c.steal_share)),
            ' % of its CPU time was stolen'),
        ifNull(c.other_share, 0) > 0.25, concat('the machine was noisy: other programs took ',
            toString(round(100 * assumeNotNull(c.other_share))), ' % of its CPU'),
        g.lag_ms > 50, concat('the load generator was the limit: its threads woke up ', toString(round(g.lag_ms)),
            ' ms late'),
        '') AS noise,
    multiIf(
        r.state != 'finished' AND NOT (r.state = 'failed' AND failed_checks = ['unsent']),
            concat('the run is ', toString(r.state)),
        r.audit = '', 'the run was not audited',
        arrayExists(name -> name != 'unsent', failed_checks),
            concat('the audit failed: ', arrayStringConcat(failed_checks, ', ')),
        noise) AS unsound
FROM (SELECT * FROM v_runs WHERE run_id IN (SELECT id FROM asked)) AS r
LEFT JOIN spans AS s ON s.run_id = r.run_id
LEFT JOIN cpu AS c ON c.run_id = r.run_id
LEFT JOIN lags AS g ON g.run_id = r.run_id
LEFT JOIN done AS d ON d.run_id = r.run_id
LEFT JOIN latencies AS l ON l.run_id = r.run_id;
