CREATE VIEW default.v_delivered_stages
AS WITH
    (
        SELECT max(receive_time)
        FROM default.v_deliveries
        WHERE (run_id = {run_id:String}) AND (intended_time >= fromUnixTimestamp({from_s:UInt32})) AND (intended_time < fromUnixTimestamp({to_s:UInt32}))
    ) AS last_receive,
    (
        SELECT mapFromArrays(groupArray((toUInt64(worker) * 4294967296) + broker), groupArray(shift_us))
        FROM v_clock_shifts(run_id = {run_id:String})
    ) AS shifts
SELECT
    d.worker AS worker,
    d.subscription AS subscription,
    d.consumer AS consumer,
    d.producer AS producer,
    d.topic AS topic,
    d.partition AS partition,
    d.offset AS offset,
    d.intended_time AS intended_time,
    d.end_to_end_us AS end_to_end_us,
    (f.bytes > 0) AND ((f.high_watermark > d.offset) OR (fetch_ready >= taken)) AS fetched,
    d.published AND d.matched AND fetched AS matched,
    multiIf(matched, '', NOT d.published, 'not published here', NOT d.matched, d.not_measured, f.bytes > 0, 'rows lost', 'no fetch') AS not_measured,
    if(matched, d.broker, -1) AS broker,
    (f.read_us + (shifts[(toUInt64(d.publisher) * 4294967296) + f.broker])) - d.intended_us AS fetch_read_at,
    fetch_read_at + f.queue_us AS fetch_taken,
    (fetch_taken + f.local_us) + f.remote_us AS fetch_ready,
    least((fetch_ready + f.response_queue_us) + f.send_us, greatest(end_to_end_us, fetch_ready)) AS fetch_sent,
    d.read + d.request_queue_us AS taken,
    taken + d.lock_wait_us AS locked,
    locked + d.segment_roll_us AS rolled,
    rolled + d.append_us AS appended,
    appended + d.log_flush_us AS flushed,
    flushed + d.handler_us AS handled,
    least(handled + d.replication_us, fetch_ready) AS visible,
    least(d.read, visible) AS read_or_visible,
    if(d.published, d.schedule_us, 0) AS schedule_us,
    if(matched, greatest((read_or_visible - d.sent) - d.throttle_us, 0), 0) AS client_us,
    if(matched, least(d.throttle_us, greatest(read_or_visible - d.sent, 0)), 0) AS throttle_us,
    if(matched, least(taken, visible) - read_or_visible, 0) AS request_queue_us,
    if(matched, least(locked, visible) - least(taken, visible), 0) AS lock_wait_us,
    if(matched, least(rolled, visible) - least(locked, visible), 0) AS segment_roll_us,
    if(matched, least(appended, visible) - least(rolled, visible), 0) AS append_us,
    if(matched, least(flushed, visible) - least(appended, visible), 0) AS log_flush_us,
    if(matched, least(handled, visible) - least(flushed, visible), 0) AS handler_us,
    if(matched, visible - least(handled, visible), 0) AS replication_us,
    greatest(fetch_read_at, visible) AS fetch_from,
    if(matched, fetch_from - visible, 0) AS fetch_wait_us,
    if(matched, greatest(fetch_taken - fetch_from, 0), 0) AS fetch_queue_us,
    if(matched, fetch_ready - greatest(fetch_taken, fetch_from), 0) AS fetch_read_us,
    if(matched, fetch_sent - fetch_ready, 0) AS fetch_send_us,
    if(matched, greatest(end_to_end_us - fetch_sent, 0), 0) AS consumer_us,
    if(matched, least(read_or_visible - d.sent, 0) + least(end_to_end_us - fetch_sent, 0), 0) AS unattributed_us,
    if(matched, 0, end_to_end_us - schedule_us) AS not_measured_us
FROM
(
    SELECT
        d.worker AS worker,
        d.subscription AS subscription,
        d.consumer AS consumer,
        d.producer AS producer,
        d.topic AS topic,
        d.partition AS partition,
        d.offset AS offset,
        d.intended_time AS intended_time,
        toUnixTimestamp64Micro(d.intended_time) AS intended_us,
        d.end_to_end_us AS end_to_end_us,
        p.published AS published,
        p.worker AS publisher,
        p.matched AS matched,
        p.not_measured AS not_measured,
        p.broker AS broker,
        p.sent AS sent,
        p.read AS read,
        p.schedule_us AS schedule_us,
        p.throttle_us AS throttle_us,
        p.request_queue_us AS request_queue_us,
        p.lock_wait_us AS lock_wait_us,
        p.segment_roll_us AS segment_roll_us,
        p.append_us AS append_us,
        p.log_flush_us AS log_flush_us,
        p.handler_us AS handler_us,
        p.replication_us AS replication_us
    FROM
    (
        SELECT
            worker,
            subscription,
            consumer,
            producer,
            topic,
            partition,
            offset,
            intended_time,
            end_to_end_us
        FROM default.v_deliveries
        WHERE (run_id = {run_id:String}) AND (intended_time >= fromUnixTimestamp({from_s:UInt32})) AND (intended_time < fromUnixTimestamp({to_s:UInt32}))
    ) AS d
    ANY LEFT JOIN
    (
        SELECT
            *,
            true AS published
        FROM v_published_stages(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
    ) AS p ON (d.topic = p.topic) AND (d.partition = p.partition) AND (d.offset = p.offset)
) AS d
ASOF LEFT JOIN
(
    SELECT
        topic,
        partition,
        toUInt32OrZero(extract(client_id, '-consumer-([0-9]+)$')) AS consumer,
        offset,
        high_watermark,
        bytes,
        broker,
        toUnixTimestamp64Micro(read_time) AS read_us,
        toInt64(queue_us) AS queue_us,
        toInt64(local_us) AS local_us,
        toInt64(remote_us) AS remote_us,
        toInt64(response_queue_us) AS response_queue_us,
        toInt64(send_us) AS send_us
    FROM default.v_broker_requests
    WHERE (run_id = {run_id:String}) AND (api = 'fetch') AND (replica = -1) AND (error = '') AND (bytes > 0) AND (offset >= 0) AND (read_time >= fromUnixTimestamp(greatest({from_s:UInt32}, 60) - 60)) AND (read_time <= (last_receive + toIntervalSecond(10)))
) AS f ON (d.topic = f.topic) AND (d.partition = f.partition) AND (d.consumer = f.consumer) AND (d.offset >= f.offset);
