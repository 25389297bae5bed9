CREATE VIEW default.v_measure_phase
AS SELECT
    start_time,
    end_time,
    if(end_time > start_time, end_time, toDateTime64('2100-01-01 00:00:00', 6, 'UTC')) AS open_end_time,
    toUInt32(ceil(toUnixTimestamp64Micro(start_time) / 1000000.)) AS first_s,
    toUInt32(floor(toUnixTimestamp64Micro(end_time) / 1000000.)) AS end_s
FROM default.v_phases
WHERE (run_id = {run_id:String}) AND (phase = 'measure');
