CREATE VIEW default.v_experiment_spans
AS SELECT
    run_id,
    minIf(start_time, phase != 'probe') AS warm_from,
    minIf(start_time, (phase NOT IN ('probe', 'warmup', 'settle', 'retention_fill'))) AS load_from,
    minIf(start_time, (phase IN ('drain', 'end'))) AS load_to,
    load_from - if(dateDiff('second', load_from, load_to) < 10, 5, 0) AS noise_from,
    load_to + if(dateDiff('second', load_from, load_to) < 10, 1, 0) AS noise_to,
    minIf(start_time, phase = 'measure') AS measure_from,
    minIf(end_time, phase = 'measure') AS measure_to,
    toUInt32(ceil(toUnixTimestamp64Micro(measure_from) / 1000000.)) AS first_s,
    toUInt32(floor(toUnixTimestamp64Micro(measure_to) / 1000000.)) AS end_s
FROM default.v_phases
WHERE run_id IN (
    SELECT arrayJoin(splitByChar(',', {runs:String}))
)
GROUP BY run_id;
