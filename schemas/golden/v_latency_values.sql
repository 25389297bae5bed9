CREATE VIEW default.v_latency_values
AS WITH
    (
        SELECT (min(start_time), max(end_time))
        FROM default.v_phases
        WHERE (run_id = {run_id:String}) AND (phase = 'measure')
    ) AS measure,
    (measure.1) + toIntervalMicrosecond(toInt64({from_s:Float64} * 1000000.)) AS window_start,
    if({to_s:Float64} = 0, measure.2, (measure.1) + toIntervalMicrosecond(toInt64({to_s:Float64} * 1000000.))) AS window_end,
    (
        SELECT arraySort(groupUniqArray(CAST(topic, 'String')))
        FROM default.v_throughput_1s
        WHERE run_id = {run_id:String}
    ) AS topics
SELECT
    us,
    bitShiftLeft(place, 16) + bitXor(bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16), if(us < 0, 65535, 32768)) AS code
FROM
(
    SELECT
        if({stage:String} = 'publish', publish_latency_us, if({stage:String} = 'publish_delay', publish_delay_us, publish_service_us)) AS us,
        if({by:String} = 'second', toUInt64(toUnixTimestamp(intended_time)), if({by:String} = 'partition', toUInt64(partition), if({by:String} = 'producer', toUInt64(producer), if({by:String} = 'worker', toUInt64(worker), 0)))) + if(({by:String} IN ('topic', 'partition')), bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
    FROM default.v_publishes
    WHERE ({stage:String} IN ('publish', 'publish_delay', 'publish_service')) AND ({by:String} IN ('run', 'second', 'topic', 'partition', 'producer', 'worker')) AND (run_id = {run_id:String}) AND (intended_time >= window_start) AND (intended_time < window_end)
    UNION ALL
    SELECT
        end_to_end_us AS us,
        if({by:String} = 'second', toUInt64(toUnixTimestamp(intended_time)), if({by:String} = 'partition', toUInt64(partition), if({by:String} = 'producer', toUInt64(producer), if({by:String} = 'worker', toUInt64(worker), if({by:String} = 'consumer', toUInt64(consumer), if({by:String} = 'subscription', toUInt64(subscription), 0)))))) + if(({by:String} IN ('topic', 'partition', 'subscription')), bitShiftLeft(toUInt64(indexOf(topics, topic)), 32), 0) AS place
    FROM default.v_deliveries
    WHERE ({stage:String} = 'end_to_end') AND ({by:String} IN ('run', 'second', 'topic', 'partition', 'producer', 'worker', 'consumer', 'subscription')) AND (run_id = {run_id:String}) AND (intended_time >= window_start) AND (intended_time < window_end)
);
