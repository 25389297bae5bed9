CREATE VIEW default.v_message_stages
AS SELECT
    worker,
    producer,
    topic,
    partition,
    offset,
    intended_time,
    publish_latency_us,
    matched,
    broker,
    throttle_ms,
    publish_delay_us AS schedule_us,
    if(matched, dateDiff('microsecond', send_time, read_time), 0) AS client_us,
    if(matched, queue_us, 0) AS request_queue_us,
    if(matched, toInt64(local_us) - append_all_us, 0) AS handler_us,
    ((append_all_us - lock_wait_us) - segment_roll_us) - log_flush_us AS append_us,
    lock_wait_us,
    segment_roll_us,
    log_flush_us,
    if(matched, remote_us, 0) AS replication_us,
    if(matched, response_queue_us, 0) AS response_wait_us,
    if(matched, send_us, 0) - sent_early_us AS response_send_us,
    if(matched, dateDiff('microsecond', sent_time, ack_time), 0) + sent_early_us AS to_client_us,
    if(matched, 0, publish_service_us) AS unmatched_us
FROM
(
    SELECT
        m.worker AS worker,
        m.producer AS producer,
        m.topic AS topic,
        m.partition AS partition,
        m.offset AS offset,
        m.intended_time AS intended_time,
        m.send_time AS send_time,
        m.ack_time AS ack_time,
        m.publish_delay_us AS publish_delay_us,
        m.publish_service_us AS publish_service_us,
        m.publish_latency_us AS publish_latency_us,
        (r.records > 0) AND (m.offset >= r.first_offset) AND (m.offset < (r.first_offset + r.records)) AS matched,
        if(matched, toInt64(r.broker), -1) AS broker,
        if(matched, r.throttle_ms, 0) AS throttle_ms,
        r.read_time AS read_time,
        r.sent_time AS sent_time,
        toInt64(r.queue_us) AS queue_us,
        r.local_us AS local_us,
        toInt64(r.remote_us) AS remote_us,
        toInt64(r.response_queue_us) AS response_queue_us,
        toInt64(r.send_us) AS send_us,
        if(matched, least(greatest(dateDiff('microsecond', m.ack_time, r.sent_time), 0), send_us), 0) AS sent_early_us,
        if(matched, toInt64(least(r.log_us, r.local_us)), 0) AS append_all_us,
        if(matched, least(toInt64(r.lock_us), append_all_us), 0) AS lock_wait_us,
        if(matched, least(toInt64(r.roll_us), append_all_us - lock_wait_us), 0) AS segment_roll_us,
        if(matched, least(toInt64(r.flush_us), (append_all_us - lock_wait_us) - segment_roll_us), 0) AS log_flush_us
    FROM
    (
        SELECT
            worker,
            producer,
            topic,
            partition,
            offset,
            intended_time,
            send_time,
            ack_time,
            publish_delay_us,
            publish_service_us,
            publish_latency_us
        FROM default.v_publishes
        WHERE run_id = {run_id:String}
    ) AS m
    ASOF LEFT JOIN
    (
        SELECT
            topic,
            partition,
            offset AS first_offset,
            records,
            broker,
            throttle_ms,
            read_time,
            sent_time,
            queue_us,
            local_us,
            remote_us,
            response_queue_us,
            send_us,
            log_us,
            lock_us,
            roll_us,
            flush_us
        FROM default.v_broker_requests
        WHERE (run_id = {run_id:String}) AND (api = 'produce') AND (error = '') AND (records > 0)
    ) AS r ON (m.topic = r.topic) AND (m.partition = r.partition) AND (m.offset >= r.first_offset)
);
