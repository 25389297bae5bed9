-- SPDX-License-Identifier: Apache-2.0
-- Signals: which metrics make which signal, one row per source. v_signals_of_1s computes their values.
-- A signal is what an engineer asks for ("write latency of vda"), computed the same way for the explanation of a run,
-- its charts and any SQL client.
-- The rows are generated from contracts/signals.yaml; `make contracts` writes them.
-- part: rate    growth per second
--       spread  growth per second, also over a gap of up to 30 s: a stalled process reports the gap once it resumes
--       over    growth, divided by the growth of the sources with part under
--       under   the divisor of over
--       value   the sample itself, summed over series
--       most    the largest sample
--       fall    decrease per second
--       moved   change per second, up or down
-- needs: labels as name=value, or name!value for "any other value", separated by blanks.

-- +goose Up
CREATE OR REPLACE VIEW v_signals AS
SELECT signal, unit, part, metric, needs, factor
FROM values('signal String, unit String, part String, metric String, needs String, factor Float64',
    -- contracts/signals.yaml
    ('drive_write_ms', 'ms', 'over', 'node_disk_write_time_seconds_total', '', 1000),
    ('drive_write_ms', 'ms', 'under', 'node_disk_writes_completed_total', '', 1),
    ('drive_read_ms', 'ms', 'over', 'node_disk_read_time_seconds_total', '', 1000),
    ('drive_read_ms', 'ms', 'under', 'node_disk_reads_completed_total', '', 1),
    ('drive_flush_ms', 'ms', 'over', 'node_disk_flush_requests_time_seconds_total', '', 1000),
    ('drive_flush_ms', 'ms', 'under', 'node_disk_flush_requests_total', '', 1),
    ('drive_own_write_ms', 'ms', 'over', 'node_disk_write_time_seconds_total', '', 1000),
    ('drive_own_write_ms', 'ms', 'over', 'node_disk_flush_requests_time_seconds_total', '', -1000),
    ('drive_own_write_ms', 'ms', 'under', 'node_disk_writes_completed_total', '', 1),
    ('drive_queue', 'requests', 'rate', 'node_disk_io_time_weighted_seconds_total', '', 1),
    ('drive_busy_share', 'share', 'rate', 'node_disk_io_time_seconds_total', '', 1),
    ('drive_writes_per_s', 'per s', 'rate', 'node_disk_writes_completed_total', '', 1),
    ('drive_reads_per_s', 'per s', 'rate', 'node_disk_reads_completed_total', '', 1),
    ('drive_flushes_per_s', 'per s', 'rate', 'node_disk_flush_requests_total', '', 1),
    ('drive_written_mb_per_s', 'MB/s', 'rate', 'node_disk_written_bytes_total', '', 1e-6),
    ('drive_read_mb_per_s', 'MB/s', 'rate', 'node_disk_read_bytes_total', '', 1e-6),
    ('drive_discards_per_s', 'per s', 'rate', 'node_disk_discards_completed_total', '', 1),
    ('request_write_ms', 'ms', 'over', 'ioprobe_block_io_duration_seconds_sum', 'op=write', 1000),
    ('request_write_ms', 'ms', 'under', 'ioprobe_block_io_duration_seconds_count', 'op=write', 1),
    ('other_requests_per_s', 'per s', 'rate', 'ioprobe_block_io_duration_seconds_count',
        'process!java process!kworker process!jbd2', 1),
    ('broker_sync_ms', 'ms', 'over', 'ioprobe_sync_duration_seconds_sum', 'process=java op=fsync', 1000),
    ('broker_sync_ms', 'ms', 'under', 'ioprobe_sync_duration_seconds_count', 'process=java op=fsync', 1),
    ('broker_sync_ms', 'ms', 'over', 'ioprobe_sync_duration_seconds_sum', 'process=java op=fdatasync', 1000),
    ('broker_sync_ms', 'ms', 'under', 'ioprobe_sync_duration_seconds_count', 'process=java op=fdatasync', 1),
    ('broker_io_pressure', 'share', 'rate', 'procprobe_pressure_seconds_total',
        'group=broker resource=io extent=some', 1),
    ('broker_cpu_pressure', 'share', 'rate', 'procprobe_pressure_seconds_total',
        'group=broker resource=cpu extent=some', 1),
    ('broker_memory_pressure', 'share', 'rate', 'procprobe_pressure_seconds_total',
        'group=broker resource=memory extent=some', 1),
    ('host_io_pressure', 'share', 'rate', 'node_pressure_io_waiting_seconds_total', '', 1),
    ('host_cpu_pressure', 'share', 'rate', 'node_pressure_cpu_waiting_seconds_total', '', 1),
    ('host_memory_pressure', 'share', 'rate', 'node_pressure_memory_waiting_seconds_total', '', 1),
    ('broker_cores', 'cores', 'rate', 'procprobe_cpu_seconds_total', 'group=broker', 1),
    ('loader_cores', 'cores', 'rate', 'procprobe_cpu_seconds_total', 'group=loadgen', 1),
    ('broker_stopped', 'processes', 'value', 'procprobe_stopped_processes', 'group=broker', 1),
    ('loader_stopped', 'processes', 'value', 'procprobe_stopped_processes', 'group=loadgen', 1),
    ('tailrace_cores', 'cores', 'rate', 'procprobe_cpu_seconds_total', '', 1),
    ('host_busy_cores', 'cores', 'rate', 'node_cpu_seconds_total', 'mode!idle mode!iowait', 1),
    ('host_busy_share', 'share', 'over', 'node_cpu_seconds_total', 'mode!idle mode!iowait', 1),
    ('host_busy_share', 'share', 'under', 'node_cpu_seconds_total', '', 1),
    ('host_steal_cores', 'cores', 'rate', 'node_cpu_seconds_total', 'mode=steal', 1),
    ('broker_written_mb_per_s', 'MB/s', 'rate', 'procprobe_written_bytes_total', 'group=broker', 1e-6),
    ('broker_read_mb_per_s', 'MB/s', 'rate', 'procprobe_read_bytes_total', 'group=broker', 1e-6),
    ('dirty_mb', 'MB', 'value', 'node_memory_Dirty_bytes', '', 1e-6),
    ('writeback_mb', 'MB', 'value', 'node_memory_Writeback_bytes', '', 1e-6),
    ('retransmits_per_s', 'per s', 'rate', 'node_netstat_Tcp_RetransSegs', '', 1),
    ('network_received_mb_per_s', 'MB/s', 'rate', 'node_network_receive_bytes_total', '', 1e-6),
    ('network_drops_per_s', 'per s', 'rate', 'node_network_receive_drop_total', '', 1),
    ('broker_answers', 'share', 'value', 'up', 'job=kafka', 1),
    ('broker_scrape_ms', 'ms', 'most', 'scrape_duration_seconds', 'job=kafka', 1000),
    ('broker_gc_share', 'share', 'spread', 'jvm_gc_collection_seconds_sum', 'job=kafka', 1),
    ('handler_idle_share', 'share', 'rate', 'kafka_request_handler_idle_seconds_total', '', 1),
    ('request_queue', 'requests', 'value', 'kafka_request_queue_size', '', 1),
    ('produce_ms', 'ms', 'over', 'kafka_request_total_time_seconds_sum', 'request=Produce', 1000),
    ('produce_ms', 'ms', 'under', 'kafka_request_total_time_seconds_count', 'request=Produce', 1),
    ('produce_queue_ms', 'ms', 'over', 'kafka_request_queue_time_seconds_sum', 'request=Produce', 1000),
    ('produce_queue_ms', 'ms', 'under', 'kafka_request_queue_time_seconds_count', 'request=Produce', 1),
    ('produce_local_ms', 'ms', 'over', 'kafka_request_local_time_seconds_sum', 'request=Produce', 1000),
    ('produce_local_ms', 'ms', 'under', 'kafka_request_local_time_seconds_count', 'request=Produce', 1),
    ('produce_remote_ms', 'ms', 'over', 'kafka_request_remote_time_seconds_sum', 'request=Produce', 1000),
    ('produce_remote_ms', 'ms', 'under', 'kafka_request_remote_time_seconds_count', 'request=Produce', 1),
    ('produce_send_ms', 'ms', 'over', 'kafka_request_response_send_time_seconds_sum', 'request=Produce', 1000),
    ('produce_send_ms', 'ms', 'under', 'kafka_request_response_send_time_seconds_count', 'request=Produce', 1),
    ('produce_requests_per_s', 'per s', 'rate', 'kafka_request_total_time_seconds_count', 'request=Produce', 1),
    ('fetch_ms', 'ms', 'over', 'kafka_request_total_time_seconds_sum', 'request=FetchConsumer', 1000),
    ('fetch_ms', 'ms', 'under', 'kafka_request_total_time_seconds_count', 'request=FetchConsumer', 1),
    ('fetch_send_ms', 'ms', 'over', 'kafka_request_response_send_time_seconds_sum', 'request=FetchConsumer', 1000),
    ('fetch_send_ms', 'ms', 'under', 'kafka_request_response_send_time_seconds_count', 'request=FetchConsumer', 1),
    ('fetch_requests_per_s', 'per s', 'rate', 'kafka_request_total_time_seconds_count', 'request=FetchConsumer', 1),
    ('log_flush_ms', 'ms', 'over', 'kafka_log_flush_time_seconds_sum', '', 1000),
    ('log_flush_ms', 'ms', 'under', 'kafka_log_flush_time_seconds_count', '', 1),
    ('log_flushes_per_s', 'per s', 'rate', 'kafka_log_flush_time_seconds_count', '', 1),
    ('retention_messages_per_s', 'per s', 'rate', 'kafka_log_start_offset', '', 1),
    ('segments_deleted_per_s', 'per s', 'fall', 'kafka_log_segments', '', 1),
    ('leaders_moved_per_s', 'per s', 'moved', 'kafka_broker_leaders', '', 1),
    ('under_replicated', 'partitions', 'value', 'kafka_broker_under_replicated_partitions', '', 1),
    ('loader_lag_ms', 'ms', 'most', 'tailrace_loader_scheduling_lag_max_seconds', '', 1000),
    ('loader_pause_ms', 'ms', 'most', 'tailrace_loader_gc_pause_max_seconds', '', 1000)
    -- end of contracts/signals.yaml
);
