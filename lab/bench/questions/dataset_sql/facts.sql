-- SPDX-License-Identifier: Apache-2.0
-- Phases, leaders (three brokers, one change in the middle), failures, ledger, drive counters and manifest of the run.
INSERT INTO run_events (run_id, worker, time, kind, name)
SELECT {run_id:String}, 0, fromUnixTimestamp64Micro({start_us:Int64} + phase.2 * 1000000, 'UTC'), 'phase', phase.1
FROM (SELECT arrayJoin([('warmup', 0), ('measure', intDiv({seconds:Int64}, 20)), ('drain', {seconds:Int64}),
    ('end', {seconds:Int64} + 2)]) AS phase);

INSERT INTO partition_leaders (run_id, worker, time, topic, partition, leader, leader_host)
SELECT {run_id:String}, 0, fromUnixTimestamp64Micro({start_us:Int64} + change * intDiv({seconds:Int64}, 2) * 1000000, 'UTC'),
    'bench-0', partition, 1 + (partition + change) % 3 AS leader, concat('broker-', toString(leader))
FROM (SELECT number % 16 AS partition, intDiv(number, 16) AS change FROM numbers(32))
WHERE change = 0 OR partition < 4;

INSERT INTO publish_failures
    (run_id, worker, producer, topic, partition, intended_time, publish_delay_us, fail_time, payload_bytes, error_class)
SELECT {run_id:String}, 0, number % 4, 'bench-0', number % 16,
    fromUnixTimestamp64Micro({start_us:Int64} + toInt64(cityHash64(number) % ({seconds:UInt64} * 1000000)) AS due, 'UTC'), 20,
    fromUnixTimestamp64Micro(due + 120000000, 'UTC'), 1024, ['TimeoutException', 'NotLeaderOrFollowerException'][1 + number % 2]
FROM numbers(1000);

INSERT INTO ledger (run_id, worker, stream, kind, reason, events)
SELECT {run_id:String}, 0, entry.1, entry.2, '', entry.3
FROM (SELECT arrayJoin([('publishes', 'sent', {rows:UInt64} + 1000), ('publishes', 'acked', {rows:UInt64}),
    ('publishes', 'failed', 1000), ('deliveries', 'received', {rows:UInt64}), ('publishes', 'recorded', {rows:UInt64}),
    ('deliveries', 'recorded', {rows:UInt64}), ('publish_failures', 'recorded', 1000), ('run_events', 'recorded', 4),
    ('partition_leaders', 'recorded', 20)]) AS entry);

INSERT INTO host_metrics (run_id, metric, job, host, device, labels, time, value)
SELECT {run_id:String}, sample.1, sample.2, concat('broker-', toString(broker)), if(sample.2 = 'node', 'nvme0n1', ''), map(),
    fromUnixTimestamp64Milli(intDiv({start_us:Int64}, 1000) + toInt64(second) * 1000, 'UTC'), sample.3
FROM (SELECT number % 3 + 1 AS broker, toFloat64(intDiv(number, 3)) AS second FROM numbers(3 * ({seconds:UInt64} + 3)))
ARRAY JOIN [
    ('node_disk_writes_completed_total', 'node', second * 400),
    ('node_disk_write_time_seconds_total', 'node', second * 0.2 + floor(second / 300) * 5),
    ('node_disk_reads_completed_total', 'node', second * 3),
    ('node_disk_read_time_seconds_total', 'node', second * 0.001),
    ('node_disk_io_time_weighted_seconds_total', 'node', second * 0.3),
    ('node_disk_io_time_seconds_total', 'node', second * 0.25),
    ('node_disk_flush_requests_total', 'node', second * 9),
    ('node_disk_flush_requests_time_seconds_total', 'node', second * 0.02),
    ('node_disk_written_bytes_total', 'node', second * 40000000),
    ('process_cpu_seconds_total', 'kafka', second * 0.7)] AS sample;

INSERT INTO runs (run_id, workload_name, driver_name, state, started_time, finished_time, seed, workers, manifest, updated_time)
SELECT {run_id:String}, 'bench', 'generated', 'finished', fromUnixTimestamp64Micro({start_us:Int64}, 'UTC') AS started,
    started + {seconds:Int64} + 3, 42, 1, concat('{"plan":{"topics":[{"name":"bench-0","partitions":16}],"consumer_groups":1,',
    '"phases":[{"name":"warmup","messages_per_second":', toString({rate:UInt32}), '},',
    '{"name":"measure","messages_per_second":', toString({rate:UInt32}), '}]},',
    '"brokers":[{"id":1,"host":"broker-1","log_device":"nvme0n1"},{"id":2,"host":"broker-2","log_device":"nvme0n1"},',
    '{"id":3,"host":"broker-3","log_device":"nvme0n1"}]}'), now64(6)
