-- SPDX-License-Identifier: Apache-2.0
-- Stages of a message: from the intended send to the acknowledgement, and to the return of the poll() that delivered
-- it. All stages are whole µs, and their sum is the latency exactly (docs/METHODOLOGY.md#stages-of-a-message).

-- +goose Up
-- A window of messages reads the requests of its time only: within a partition, requests are in the order of time.
ALTER TABLE broker_requests ADD INDEX IF NOT EXISTS read_time_minmax read_time TYPE minmax GRANULARITY 1;

-- v_clock_shifts(run_id = …): for workers and brokers on hosts whose clocks were compared, the worker's clock minus
-- the broker's, µs. Pairs on one host have no row; neither has a host whose offset is not known.
CREATE OR REPLACE VIEW v_clock_shifts AS
WITH
    clocks AS
    (
        SELECT worker, JSONExtractString(detail, 'host') AS host,
            avg(JSONExtractFloat(detail, 'offset_us')) AS offset_us
        FROM v_run_events
        WHERE run_id = {run_id:String} AND kind = 'clock' AND name IN ('measured_start', 'measured_end')
        GROUP BY worker, host
    )
SELECT w.worker AS worker, toUInt32(b.broker) AS broker, toInt64(round(w.offset_us - h.host_offset_us)) AS shift_us
FROM clocks AS w
CROSS JOIN (SELECT DISTINCT broker, host FROM v_broker_drives WHERE run_id = {run_id:String}) AS b
INNER JOIN (SELECT host, avg(offset_us) AS host_offset_us FROM clocks GROUP BY host) AS h ON b.host = h.host
WHERE w.host != b.host;

-- v_request_mutes(run_id = …): when a quota muted a producer's connection, and for how long in all until then. Times
-- are µs since 1970 on the broker's clock.
CREATE OR REPLACE VIEW v_request_mutes AS
SELECT connection, muted_from, muted_us,
    toInt64(sum(muted_us) OVER (PARTITION BY connection ORDER BY muted_from)) AS muted_upto_us
FROM
(
    SELECT connection, correlation_id,
        min(toUnixTimestamp64Micro(read_time) + toInt64(queue_us) + local_us + remote_us) AS muted_from,
        max(toInt64(throttle_ms)) * 1000 AS muted_us
    FROM v_broker_requests
    WHERE run_id = {run_id:String} AND api = 'produce' AND throttle_ms > 0
    GROUP BY connection, correlation_id
);

-- v_published_requests(run_id = …, from_s = …, to_s = …): each acknowledged message whose intended send is in the
-- seconds from from_s to before to_s (since 1970), with its produce request. A message finds its request by offset: the
-- last one of its partition that begins at or before it, if its records reach that far. Points in time are µs after the
-- intended send, on the worker's clock. Requests are read from 10 s before the window, so that clocks may differ.
CREATE OR REPLACE VIEW v_published_requests AS
WITH
    (
        SELECT max(ack_time)
        FROM v_publishes
        WHERE run_id = {run_id:String} AND intended_time >= fromUnixTimestamp({from_s:UInt32})
            AND intended_time < fromUnixTimestamp({to_s:UInt32})
    ) AS last_ack,
    (
        SELECT mapFromArrays(groupArray(toUInt64(worker) * 4294967296 + broker), groupArray(shift_us))
        FROM v_clock_shifts(run_id = {run_id:String})
    ) AS shifts
SELECT
    m.worker AS worker, m.producer AS producer, m.topic AS topic, m.partition AS partition, m.offset AS offset,
    m.intended_time AS intended_time,
    toUnixTimestamp64Micro(m.intended_time) AS intended_us,
    m.publish_latency_us AS publish_latency_us,
    m.publish_delay_us AS sent,
    r.records > 0 AND m.offset >= r.first_offset AND m.offset < r.first_offset + r.records AS matched,
    multiIf(matched, '', m.offset < 0, 'no offset', r.records > 0, 'rows lost',
        (m.topic, m.partition) IN
        (
            SELECT DISTINCT topic, partition
            FROM v_broker_requests
            WHERE run_id = {run_id:String} AND api = 'produce' AND error = '' AND records > 0
                AND read_time >= fromUnixTimestamp(greatest({from_s:UInt32}, 10) - 10)
                AND read_time <= last_ack + toIntervalSecond(10)
        ), 'before the agent', 'agent off') AS not_measured,
    if(matched, toInt64(r.broker), -1) AS broker,
    if(matched, r.connection, '') AS connection,
    if(matched, r.muted_us, 0) AS muted_us,
    if(matched, shifts[toUInt64(m.worker) * 4294967296 + r.broker], 0) AS shift_us,
    if(matched, r.read_us + shift_us - intended_us, 0) AS read,
    if(matched, toInt64(r.queue_us), 0) AS request_queue,
    if(matched, toInt64(r.local_us), 0) AS local,
    least(if(matched, toInt64(r.log_us), 0), local) AS append_all,
    least(if(matched, toInt64(r.lock_us), 0), append_all) AS lock_wait,
    least(if(matched, toInt64(r.roll_us), 0), append_all - lock_wait) AS segment_roll,
    least(if(matched, toInt64(r.flush_us), 0), append_all - lock_wait - segment_roll) AS log_flush,
    if(matched, toInt64(r.remote_us), 0) AS replication,
    if(matched, toInt64(r.response_queue_us), 0) AS response_queue
FROM
(
    SELECT worker, producer, topic, partition, offset, intended_time, publish_delay_us, publish_latency_us
    FROM v_publishes
    WHERE run_id = {run_id:String} AND intended_time >= fromUnixTimestamp({from_s:UInt32})
        AND intended_time < fromUnixTimestamp({to_s:UInt32})
) AS m
ASOF LEFT JOIN
(
    SELECT q.topic AS topic, q.partition AS partition, q.first_offset AS first_offset, q.records AS records,
        q.broker AS broker, q.connection AS connection, q.read_us AS read_us, q.queue_us AS queue_us,
        q.local_us AS local_us, q.remote_us AS remote_us, q.response_queue_us AS response_queue_us,
        q.log_us AS log_us, q.lock_us AS lock_us, q.roll_us AS roll_us, q.flush_us AS flush_us,
        t.muted_upto_us - greatest(t.muted_from + t.muted_us - q.read_us, 0) AS muted_us
    FROM
    (
        SELECT topic, partition, offset AS first_offset, records, broker, connection,
            toUnixTimestamp64Micro(read_time) AS read_us, queue_us, local_us, remote_us, response_queue_us, log_us,
            lock_us, roll_us, flush_us
        FROM v_broker_requests
        WHERE run_id = {run_id:String} AND api = 'produce' AND error = '' AND records > 0
            AND read_time >= fromUnixTimestamp(greatest({from_s:UInt32}, 10) - 10)
            AND read_time <= last_ack + toIntervalSecond(10)
    ) AS q
    ASOF LEFT JOIN v_request_mutes(run_id = {run_id:String}) AS t
        ON q.connection = t.connection AND q.read_us >= t.muted_from
) AS r ON m.topic = r.topic AND m.partition = r.partition AND m.offset >= r.first_offset;

-- v_published_stages(run_id = …, from_s = …, to_s = …): v_published_requests with the stages of the publish latency.
-- In their order: schedule (intended to actual send); client (serialising, batching, waiting for a free request, the
-- network, until the broker had read the request) without throttle, for which a quota muted the connection meanwhile;
-- request_queue; in the append to the log lock_wait, segment_roll, append and log_flush; handler (what the request
-- handler did beside this partition's append: checks, the request's other partitions, answers to waiting fetches);
-- replication (until the response was ready); response_queue; to_client (until the callback ran). unattributed is not 0
-- where clocks contradict the order of events. A message without its request has not_measured_us instead.
CREATE OR REPLACE VIEW v_published_stages AS
SELECT
    p.worker AS worker, p.producer AS producer, p.topic AS topic, p.partition AS partition, p.offset AS offset,
    p.intended_time AS intended_time, p.intended_us AS intended_us, p.publish_latency_us AS publish_latency_us,
    p.matched AS matched, p.not_measured AS not_measured, p.broker AS broker,
    p.sent AS sent, p.read AS read,
    if(matched, greatest(read - sent, 0), 0) AS before_read,
    least(greatest(p.muted_us - t.muted_upto_us
        + greatest(t.muted_from + t.muted_us - (intended_us + sent - p.shift_us), 0), 0), before_read) AS throttle_us,
    sent AS schedule_us,
    before_read - throttle_us AS client_us,
    p.request_queue AS request_queue_us,
    p.lock_wait AS lock_wait_us,
    p.segment_roll AS segment_roll_us,
    p.append_all - p.lock_wait - p.segment_roll - p.log_flush AS append_us,
    p.log_flush AS log_flush_us,
    p.local - p.append_all AS handler_us,
    p.replication AS replication_us,
    p.response_queue AS response_queue_us,
    if(matched, publish_latency_us - (read + p.request_queue + p.local + p.replication + p.response_queue), 0) AS after,
    greatest(after, 0) AS to_client_us,
    if(matched, least(read - sent, 0) + least(after, 0), 0) AS unattributed_us,
    if(matched, 0, publish_latency_us - sent) AS not_measured_us
FROM v_published_requests(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32}) AS p
ASOF LEFT JOIN v_request_mutes(run_id = {run_id:String}) AS t
    ON p.connection = t.connection AND p.intended_us + p.sent - p.shift_us >= t.muted_from;

-- v_message_stages(run_id = …): the stages of the publish latency of every acknowledged message.
CREATE OR REPLACE VIEW v_message_stages AS
SELECT worker, producer, topic, partition, offset, intended_time, publish_latency_us, matched, not_measured, broker,
    schedule_us, client_us, throttle_us, request_queue_us, lock_wait_us, segment_roll_us, append_us, log_flush_us,
    handler_us, replication_us, response_queue_us, to_client_us, unattributed_us, not_measured_us
FROM v_published_stages(run_id = {run_id:String}, from_s = 0, to_s = 4294967295);

-- v_delivered_stages(run_id = …, from_s = …, to_s = …): the stages of the end-to-end latency of each delivery whose
-- intended send is in the window. Those of the publish side end when the message was visible: when the response to its
-- producer was ready, or the fetch's if that was earlier, because a broker answers waiting fetches first. Then
-- fetch_wait (until the broker had read a fetch of it), fetch_queue and fetch_read (until that fetch's response was
-- ready), fetch_send (until the response was sent), consumer (until poll() returned it, with the network).
-- A delivery finds its fetch by offset: the consumer's last one of the partition that begins at or before it, if its
-- high watermark is past the message, or if it was answered after the message's request was taken: a broker reads the
-- high watermark of a response before the records. With acks=1 the time until followers have the message is in
-- fetch_wait or fetch_read.
CREATE OR REPLACE VIEW v_delivered_stages AS
WITH
    (
        SELECT max(receive_time)
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND intended_time >= fromUnixTimestamp({from_s:UInt32})
            AND intended_time < fromUnixTimestamp({to_s:UInt32})
    ) AS last_receive,
    (
        SELECT mapFromArrays(groupArray(toUInt64(worker) * 4294967296 + broker), groupArray(shift_us))
        FROM v_clock_shifts(run_id = {run_id:String})
    ) AS shifts
SELECT
    d.worker AS worker, d.subscription AS subscription, d.consumer AS consumer, d.producer AS producer,
    d.topic AS topic, d.partition AS partition, d.offset AS offset, d.intended_time AS intended_time,
    d.end_to_end_us AS end_to_end_us,
    f.bytes > 0 AND (f.high_watermark > d.offset OR fetch_ready >= taken) AS fetched,
    d.published AND d.matched AND fetched AS matched,
    multiIf(matched, '', NOT d.published, 'not published here', NOT d.matched, d.not_measured,
        f.bytes > 0, 'rows lost', 'no fetch') AS not_measured,
    if(matched, d.broker, -1) AS broker,
    f.read_us + shifts[toUInt64(d.publisher) * 4294967296 + f.broker] - d.intended_us AS fetch_read_at,
    fetch_read_at + f.queue_us AS fetch_taken,
    fetch_taken + f.local_us + f.remote_us AS fetch_ready,
    least(fetch_ready + f.response_queue_us + f.send_us, greatest(end_to_end_us, fetch_ready)) AS fetch_sent,
    d.read + d.request_queue_us AS taken,
    taken + d.lock_wait_us AS locked,
    locked + d.segment_roll_us AS rolled,
    rolled + d.append_us AS appended,
    appended + d.log_flush_us AS flushed,
    flushed + d.handler_us AS handled,
    least(handled + d.replication_us, fetch_ready) AS visible,
    least(d.read, visible) AS read_or_visible,
    if(d.published, d.schedule_us, 0) AS schedule_us,
    if(matched, greatest(read_or_visible - d.sent - d.throttle_us, 0), 0) AS client_us,
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
    SELECT d.worker AS worker, d.subscription AS subscription, d.consumer AS consumer, d.producer AS producer,
        d.topic AS topic, d.partition AS partition, d.offset AS offset, d.intended_time AS intended_time,
        toUnixTimestamp64Micro(d.intended_time) AS intended_us, d.end_to_end_us AS end_to_end_us,
        p.published AS published, p.worker AS publisher, p.matched AS matched, p.not_measured AS not_measured,
        p.broker AS broker, p.sent AS sent, p.read AS read, p.schedule_us AS schedule_us,
        p.throttle_us AS throttle_us, p.request_queue_us AS request_queue_us, p.lock_wait_us AS lock_wait_us,
        p.segment_roll_us AS segment_roll_us, p.append_us AS append_us, p.log_flush_us AS log_flush_us,
        p.handler_us AS handler_us, p.replication_us AS replication_us
    FROM
    (
        SELECT worker, subscription, consumer, producer, topic, partition, offset, intended_time, end_to_end_us
        FROM v_deliveries
        WHERE run_id = {run_id:String} AND intended_time >= fromUnixTimestamp({from_s:UInt32})
            AND intended_time < fromUnixTimestamp({to_s:UInt32})
    ) AS d
    ANY LEFT JOIN
    (
        SELECT *, true AS published
        FROM v_published_stages(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
    ) AS p ON d.topic = p.topic AND d.partition = p.partition AND d.offset = p.offset
) AS d
ASOF LEFT JOIN
(
    SELECT topic, partition, toUInt32OrZero(extract(client_id, '-consumer-([0-9]+)$')) AS consumer, offset,
        high_watermark, bytes, broker, toUnixTimestamp64Micro(read_time) AS read_us, toInt64(queue_us) AS queue_us,
        toInt64(local_us) AS local_us, toInt64(remote_us) AS remote_us,
        toInt64(response_queue_us) AS response_queue_us, toInt64(send_us) AS send_us
    FROM v_broker_requests
    WHERE run_id = {run_id:String} AND api = 'fetch' AND replica = -1 AND error = '' AND bytes > 0 AND offset >= 0
        AND read_time >= fromUnixTimestamp(greatest({from_s:UInt32}, 60) - 60)
        AND read_time <= last_receive + toIntervalSecond(10)
) AS f ON d.topic = f.topic AND d.partition = f.partition AND d.consumer = f.consumer AND d.offset >= f.offset;

-- v_delivery_stages(run_id = …): the stages of the end-to-end latency of every delivery.
CREATE OR REPLACE VIEW v_delivery_stages AS
SELECT worker, subscription, consumer, producer, topic, partition, offset, intended_time, end_to_end_us, matched,
    not_measured, broker, schedule_us, client_us, throttle_us, request_queue_us, lock_wait_us, segment_roll_us,
    append_us, log_flush_us, handler_us, replication_us, fetch_wait_us, fetch_queue_us, fetch_read_us, fetch_send_us,
    consumer_us, unattributed_us, not_measured_us
FROM v_delivered_stages(run_id = {run_id:String}, from_s = 0, to_s = 4294967295);
