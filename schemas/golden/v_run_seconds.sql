CREATE VIEW default.v_run_seconds
AS SELECT toDateTime(arrayJoin(range(toUnixTimestamp(min(start_time)), toUnixTimestamp(max(start_time)) + 1)), 'UTC') AS time
FROM default.v_phases
WHERE run_id = {run_id:String}
HAVING count() > 0;
