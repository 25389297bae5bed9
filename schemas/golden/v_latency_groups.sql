CREATE VIEW default.v_latency_groups
AS WITH
    (
        SELECT (start_time, end_time)
        FROM v_measure_phase(run_id = {run_id:String})
    ) AS measure,
    (measure.1) + toIntervalMicrosecond(toInt64({from_s:Float64} * 1000000.)) AS window_start,
    if({to_s:Float64} = 0, measure.2, (measure.1) + toIntervalMicrosecond(toInt64({to_s:Float64} * 1000000.))) AS window_end,
    (
        SELECT topics
        FROM v_run_topics(run_id = {run_id:String})
    ) AS topics
SELECT
    us,
    if({by:String} = 'second', toUInt64(toUnixTimestamp(intended_time)), if({by:String} = 'partition', toUInt64(partition), if({by:String} = 'producer', toUInt64(producer), if({by:String} = 'worker', toUInt64(worker), if({by:String} = 'consumer', toUInt64(consumer), if({by:String} = 'subscription', toUInt64(subscription), 0)))))) + if(({by:String} IN ('topic', 'partition', 'subscription')), bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
FROM v_stage_messages(run_id = {run_id:String}, stage = {stage:String})
WHERE (({by:String} IN ('run', 'second', 'topic', 'partition', 'producer', 'worker')) OR (({stage:String} = 'end_to_end') AND ({by:String} IN ('consumer', 'subscription')))) AND (intended_time >= window_start) AND (intended_time < window_end);
