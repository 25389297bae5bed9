CREATE VIEW default.v_stage_parts
AS SELECT
    m.side AS side,
    toUInt32(toUnixTimestamp(m.intended_time)) AS second,
    m.us AS us,
    toUInt8(us >= (l.slow[1])) + toUInt8(us >= (l.slow[2])) AS band,
    m.broker AS broker,
    m.topic AS topic,
    m.partition AS partition,
    m.producer AS producer,
    m.not_measured AS not_measured,
    m.parts AS parts
FROM
(
    SELECT
        'publish' AS side,
        intended_time,
        publish_latency_us AS us,
        broker,
        topic,
        partition,
        producer,
        not_measured,
        CAST([schedule_us, client_us, throttle_us, request_queue_us, lock_wait_us, segment_roll_us, append_us, log_flush_us, handler_us, replication_us, response_queue_us, to_client_us, 0, 0, 0, 0, 0, unattributed_us, not_measured_us], 'Array(Int64)') AS parts
    FROM v_published_stages(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
    UNION ALL
    SELECT
        'delivery' AS side,
        intended_time,
        end_to_end_us AS us,
        broker,
        topic,
        partition,
        producer,
        not_measured,
        CAST([schedule_us, client_us, throttle_us, request_queue_us, lock_wait_us, segment_roll_us, append_us, log_flush_us, handler_us, replication_us, 0, 0, fetch_wait_us, fetch_queue_us, fetch_read_us, fetch_send_us, consumer_us, unattributed_us, not_measured_us], 'Array(Int64)') AS parts
    FROM v_delivered_stages(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
) AS m
INNER JOIN
(
    SELECT
        'publish' AS side,
        toUnixTimestamp(intended_time) AS second,
        quantilesExactLow(0.9, 0.99)(publish_latency_us) AS slow
    FROM default.v_publishes
    WHERE (run_id = {run_id:String}) AND (intended_time >= fromUnixTimestamp({from_s:UInt32})) AND (intended_time < fromUnixTimestamp({to_s:UInt32}))
    GROUP BY second
    UNION ALL
    SELECT
        'delivery' AS side,
        toUnixTimestamp(intended_time) AS second,
        quantilesExactLow(0.9, 0.99)(end_to_end_us) AS slow
    FROM default.v_deliveries
    WHERE (run_id = {run_id:String}) AND (intended_time >= fromUnixTimestamp({from_s:UInt32})) AND (intended_time < fromUnixTimestamp({to_s:UInt32}))
    GROUP BY second
) AS l ON (m.side = l.side) AND (toUnixTimestamp(m.intended_time) = l.second);
