-- v_signals: which metrics make which signal, one row per source. v_signals_1s: their values, second by second.
-- A signal is what a person would ask for ("write latency of vda"), made the same way for the explanation of a run, its
-- picture and whoever asks in SQL.
-- part: rate   growth per second                     value  the sample itself, summed over series
--       spread the same, also over a gap of up to 30 s: what stood still tells of it afterwards
--       over   growth, divided by the growth of      most   the largest sample
--       under  the sources with part under           fall   decrease per second      moved  change per second, up or down
-- needs: labels as name=value, or name!value for "anything else", separated by blanks.

-- +goose Up
CREATE VIEW IF NOT EXISTS v_signals AS
SELECT signal, unit, part, metric, needs, factor
FROM values('signal String, unit String, part String, metric String, needs String, factor Float64',
    ('drive_write_ms', 'ms', 'over', 'node_disk_write_time_seconds_total', '', 1000),
    ('drive_write_ms', 'ms', 'under', 'node_disk_writes_completed_total', '', 1),
    ('drive_read_ms', 'ms', 'over', 'node_disk_read_time_seconds_total', '', 1000),
    ('drive_read_ms', 'ms', 'under', 'node_disk_reads_completed_total', '', 1),
    ('drive_flush_ms', 'ms', 'over', 'node_disk_flush_requests_time_seconds_total', '', 1000),
    ('drive_flush_ms', 'ms', 'under', 'node_disk_flush_requests_total', '', 1),
    -- A journal's commit waits for the flush before it, which is not the write's own time.
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
    ('other_requests_per_s', 'per s', 'rate', 'ioprobe_block_io_duration_seconds_count', 'process!java process!kworker process!jbd2', 1),
    ('broker_sync_ms', 'ms', 'over', 'ioprobe_sync_duration_seconds_sum', 'process=java op=fsync', 1000),
    ('broker_sync_ms', 'ms', 'under', 'ioprobe_sync_duration_seconds_count', 'process=java op=fsync', 1),
    ('broker_sync_ms', 'ms', 'over', 'ioprobe_sync_duration_seconds_sum', 'process=java op=fdatasync', 1000),
    ('broker_sync_ms', 'ms', 'under', 'ioprobe_sync_duration_seconds_count', 'process=java op=fdatasync', 1),
    ('broker_io_pressure', 'share', 'rate', 'procprobe_pressure_seconds_total', 'group=broker resource=io extent=some', 1),
    ('broker_cpu_pressure', 'share', 'rate', 'procprobe_pressure_seconds_total', 'group=broker resource=cpu extent=some', 1),
    ('broker_memory_pressure', 'share', 'rate', 'procprobe_pressure_seconds_total', 'group=broker resource=memory extent=some', 1),
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
);

-- time: the second in which the middle of the two samples' span lies. A counter that went backwards, and samples more than
-- 2.5 s apart (but for spread), give no row, never a wrong number. hour: what to ask for a part of a long run by (cheap);
-- the first sample of an hour has none before it. broker: -1 where the metric is not one broker's.
CREATE VIEW IF NOT EXISTS v_signals_1s AS
SELECT run_id, hour, host, device, broker, signal, any(of_unit) AS unit, time,
    multiIf(countIf(part = 'under') + countIf(part = 'over') = 0, if(any(part) = 'most', max(amount), sum(amount)),
        sumIf(amount, part = 'under') > 0, greatest(0, sumIf(amount, part = 'over')) / sumIf(amount, part = 'under'),
        NULL) AS value
FROM
(
    SELECT run_id, hour, host, device, broker, signal, of_unit, part,
        toDateTime(intDiv(at_ms - intDiv(span_ms, 2), 1000), 'UTC') AS middle,
        if(part = 'spread' AND span_ms > 2500,
            arrayMap(i -> toDateTime(intDiv(at_ms - 500, 1000) - i, 'UTC'), range(intDiv(span_ms, 1000))), [middle]) AS times,
        factor * multiIf(part IN ('value', 'most'), sample, part IN ('rate', 'spread'), 1000 * change / span_ms,
            part = 'fall', 1000 * greatest(0, -change) / span_ms, part = 'moved', 1000 * abs(change) / span_ms, change) AS amount
    FROM
    (
        SELECT run_id, hour, host, device,
            toInt32OrDefault(labels['broker'], toInt32(-1)) AS broker, signal, unit AS of_unit, part, factor, samples
        FROM
        (
            SELECT run_id, toStartOfHour(time) AS hour, metric, job, host, device, labels,
                arraySort(groupArray((toUnixTimestamp64Milli(time), value))) AS samples
            FROM host_metrics
            WHERE metric IN (SELECT metric FROM v_signals)
            GROUP BY run_id, hour, metric, job, host, device, labels
            UNION ALL
            -- Kafka tells a lifetime mean and a count: their product grows as a sum does.
            SELECT run_id, hour, replaceOne(name, '_mean', '_sum') AS metric, job, host, device, labels,
                arraySort(groupArray((at, assumeNotNull(mean * number)))) AS samples
            FROM
            (
                SELECT run_id, toStartOfHour(time) AS hour, replaceOne(metric, '_count', '_mean') AS name, job, host, device, labels,
                    toUnixTimestamp64Milli(time) AS at,
                    maxOrNullIf(value, endsWith(metric, '_mean')) AS mean, maxOrNullIf(value, endsWith(metric, '_count')) AS number
                FROM host_metrics
                WHERE (metric LIKE 'kafka\\_request\\_%\\_time\\_seconds\\_%' OR metric LIKE 'kafka\\_log\\_flush\\_time\\_seconds\\_%')
                GROUP BY run_id, hour, name, job, host, device, labels, at
            )
            WHERE mean * number IS NOT NULL
            GROUP BY run_id, hour, metric, job, host, device, labels
        ) AS series
        INNER JOIN v_signals USING metric
        WHERE arrayAll(need -> need = '' OR if(position(need, '!') > 0,
                labels[splitByChar('!', need)[1]] != splitByChar('!', need)[2],
                if(startsWith(need, 'job='), job, labels[splitByChar('=', need)[1]]) = splitByChar('=', need)[2]),
            splitByChar(' ', needs))
    )
    ARRAY JOIN
        arrayPopFront(samples.1) AS at_ms,
        arrayPopFront(samples.2) AS sample,
        arrayPopFront(arrayDifference(samples.1)) AS span_ms,
        arrayPopFront(arrayDifference(samples.2)) AS change
    WHERE span_ms BETWEEN 1 AND if(part = 'spread', 30000, 2500) AND (change >= 0 OR part IN ('value', 'most', 'fall', 'moved'))
)
ARRAY JOIN times AS time
GROUP BY run_id, hour, host, device, broker, signal, time
HAVING isNotNull(value)
UNION ALL
SELECT run_id, toStartOfHour(time) AS hour, '' AS host, '' AS device, toInt32(-1) AS broker,
    concat(stage, entry.1) AS signal, 'ms' AS unit, time, toNullable(entry.2) AS value
FROM
(
    SELECT run_id, stage, time, quantilesExactWeighted(0.5, 0.99)(value_us, events) AS quantiles
    FROM v_latency_1s
    GROUP BY run_id, stage, time
)
ARRAY JOIN [('_p50_ms', quantiles[1] / 1000), ('_p99_ms', quantiles[2] / 1000)] AS entry
UNION ALL
SELECT run_id, toStartOfHour(time) AS hour, '' AS host, '' AS device, toInt32(-1) AS broker,
    concat(stage, '_per_s') AS signal, 'per s' AS unit, time, toNullable(toFloat64(sum(events))) AS value
FROM v_throughput_1s
GROUP BY run_id, stage, time;
