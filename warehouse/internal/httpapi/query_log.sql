-- The query log, with a server's columns; a view makes it system.query_log, where tools look for it. The engine writes
-- none, and knows neither the user nor the id of a query.
CREATE TABLE IF NOT EXISTS warehouse.query_log
(
    event_date Date DEFAULT toDate(event_time_microseconds),
    event_time DateTime DEFAULT toDateTime(event_time_microseconds),
    event_time_microseconds DateTime64(6),
    type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4),
    query_start_time DateTime DEFAULT toDateTime(query_start_time_microseconds),
    query_start_time_microseconds DateTime64(6),
    query_duration_ms UInt64,
    query_id String,
    user LowCardinality(String),
    address String,
    http_method LowCardinality(String),
    http_user_agent LowCardinality(String),
    current_database LowCardinality(String),
    query_kind LowCardinality(String),
    query String CODEC(ZSTD(3)),
    read_rows UInt64, read_bytes UInt64, written_rows UInt64, written_bytes UInt64, result_rows UInt64, result_bytes UInt64,
    exception_code Int32,
    exception String CODEC(ZSTD(3)),
    log_comment String
)
ENGINE = MergeTree ORDER BY (event_date, event_time) TTL event_date + INTERVAL 7 DAY
