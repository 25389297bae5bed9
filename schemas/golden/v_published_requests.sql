CREATE VIEW default.v_published_requests
AS WITH
    (
        SELECT max(ack_time)
        FROM default.v_publishes
        WHERE (run_id = {run_id:String}) AND (intended_time >= fromUnixTimestamp({from_s:UInt32})) AND (intended_time < fromUnixTimestamp({to_s:UInt32}))
    ) AS last_ack,
    (
        SELECT mapFromArrays(groupArray((toUInt64(worker) * 4294967296) + broker), groupArray(shift_us))
        FROM v_clock_shifts(run_id = {run_id:String})
    ) AS shifts
SELECT
    m.worker AS worker,
    m.producer AS producer,
    m.topic AS topic,
    m.partition AS partition,
    m.offset AS offset,
    m.intended_time AS intended_time,
    toUnixTimestamp64Micro(m.intended_time) AS intended_us,
    m.publish_latency_us AS publish_latency_us,
    m.publish_delay_us AS sent,
    (r.records > 0) AND (m.offset >= r.first_offset) AND (m.offset < (r.first_offset + r.records)) AS matched,
    multiIf(matched, '', m.offset < 0, 'no offset', r.records > 0, 'rows lost', ((m.topic, m.partition) IN (
        SELECT DISTINCT
            topic,
            partition
        FROM default.v_broker_requests
        WHERE (run_id = {run_id:String}) AND (api = 'produce') AND (error = '') AND (records > 0) AND (read_time >= fromUnixTimestamp(greatest({from_s:UInt32}, 10) - 10)) AND (read_time <= (last_ack + toIntervalSecond(10)))
    )), 'before the agent', 'agent off') AS not_measured,
    if(matched, toInt64(r.broker), -1) AS broker,
    if(matched, r.connection, '') AS connection,
    if(matched, r.muted_us, 0) AS muted_us,
    if(matched, shifts[(toUInt64(m.worker) * 4294967296) + r.broker], 0) AS shift_us,
    if(matched, (r.read_us + shift_us) - intended_us, 0) AS read,
    if(matched, toInt64(r.queue_us), 0) AS request_queue,
    if(matched, toInt64(r.local_us), 0) AS local,
    least(if(matched, toInt64(r.log_us), 0), local) AS append_all,
    least(if(matched, toInt64(r.lock_us), 0), append_all) AS lock_wait,
    least(if(matched, toInt64(r.roll_us), 0), append_all - lock_wait) AS segment_roll,
    least(if(matched, toInt64(r.flush_us), 0), (append_all - lock_wait) - segment_roll) AS log_flush,
    if(matched, toInt64(r.remote_us), 0) AS replication,
    if(matched, toInt64(r.response_queue_us), 0) AS response_queue
FROM
(
    SELECT
        worker,
        producer,
        topic,
        partition,
        offset,
        intended_time,
        publish_delay_us,
        publish_latency_us
    FROM default.v_publishes
    WHERE (run_id = {run_id:String}) AND (intended_time >= fromUnixTimestamp({from_s:UInt32})) AND (intended_time < fromUnixTimestamp({to_s:UInt32}))
) AS m
ASOF LEFT JOIN
(
    SELECT
        q.topic AS topic,
        q.partition AS partition,
        q.first_offset AS first_offset,
        q.records AS records,
        q.broker AS broker,
        q.connection AS connection,
        q.read_us AS read_us,
        q.queue_us AS queue_us,
        q.local_us AS local_us,
        q.remote_us AS remote_us,
        q.response_queue_us AS response_queue_us,
        q.log_us AS log_us,
        q.lock_us AS lock_us,
        q.roll_us AS roll_us,
        q.flush_us AS flush_us,
        t.muted_upto_us - greatest((t.muted_from + t.muted_us) - q.read_us, 0) AS muted_us
    FROM
    (
        SELECT
            topic,
            partition,
            offset AS first_offset,
            records,
            broker,
            connection,
            toUnixTimestamp64Micro(read_time) AS read_us,
            queue_us,
            local_us,
            remote_us,
            response_queue_us,
            log_us,
            lock_us,
            roll_us,
            flush_us
        FROM default.v_broker_requests
        WHERE (run_id = {run_id:String}) AND (api = 'produce') AND (error = '') AND (records > 0) AND (read_time >= fromUnixTimestamp(greatest({from_s:UInt32}, 10) - 10)) AND (read_time <= (last_ack + toIntervalSecond(10)))
    ) AS q
    ASOF LEFT JOIN v_request_mutes(run_id = {run_id:String}) AS t ON (q.connection = t.connection) AND (q.read_us >= t.muted_from)
) AS r ON (m.topic = r.topic) AND (m.partition = r.partition) AND (m.offset >= r.first_offset);
