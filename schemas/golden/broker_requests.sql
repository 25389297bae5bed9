CREATE TABLE default.broker_requests
(
    `run_id` LowCardinality(String) COMMENT 'Run whose client or topic it was',
    `worker` UInt16 COMMENT '32768 + broker modulo 32768' CODEC(ZSTD(1)),
    `broker` UInt32 COMMENT 'Broker that answered' CODEC(ZSTD(1)),
    `api` LowCardinality(String) COMMENT 'produce or fetch',
    `replica` Int32 COMMENT 'Broker that fetched as a follower; -1 of a client' CODEC(ZSTD(1)),
    `client_id` LowCardinality(String) COMMENT 'Client id as the client states it',
    `connection` LowCardinality(String) COMMENT 'Kafka\'s name of the connection: both addresses and a number',
    `correlation_id` Int32 COMMENT 'The client\'s number of the request on its connection' CODEC(Delta(4), ZSTD(1)),
    `topic` LowCardinality(String) COMMENT 'Topic',
    `partition` Int32 COMMENT 'Partition' CODEC(ZSTD(1)),
    `offset` Int64 COMMENT 'Of the first record appended, or from which was fetched; -1: none' CODEC(Delta(8), ZSTD(1)),
    `records` UInt32 COMMENT 'Records appended; 0 of a fetch: not counted' CODEC(T64, ZSTD(1)),
    `bytes` UInt32 COMMENT 'Bytes of the records' CODEC(T64, ZSTD(1)),
    `high_watermark` Int64 COMMENT 'As a fetch\'s response states it; -1 of a produce request' CODEC(Delta(8), ZSTD(1)),
    `answered` LowCardinality(String) COMMENT 'at_once, or delayed: the request waited in a purgatory',
    `error` LowCardinality(String) COMMENT 'Kafka\'s name of the error; empty without one',
    `read_time` DateTime64(6, 'UTC') COMMENT 'When the request had been read from the socket' CODEC(Delta(8), ZSTD(1)),
    `queue_us` UInt32 COMMENT 'Until a request handler took it, µs' CODEC(T64, ZSTD(1)),
    `local_us` UInt32 COMMENT 'Until the handler had done its part, µs' CODEC(T64, ZSTD(1)),
    `remote_us` UInt32 COMMENT 'Until the response was ready: followers or new data, µs' CODEC(T64, ZSTD(1)),
    `response_queue_us` UInt32 COMMENT 'Until a network thread took the response, µs' CODEC(T64, ZSTD(1)),
    `send_us` UInt32 COMMENT 'Until the response was sent, µs' CODEC(T64, ZSTD(1)),
    `throttle_ms` UInt32 COMMENT 'How long a quota mutes the connection afterwards, ms' CODEC(T64, ZSTD(1)),
    `log_us` UInt32 COMMENT 'Of local: appending to this partition\'s log, µs' CODEC(T64, ZSTD(1)),
    `lock_us` UInt32 COMMENT 'Of log: waiting for the log\'s lock, µs' CODEC(T64, ZSTD(1)),
    `roll_us` UInt32 COMMENT 'Of log: rolling to a new log segment, µs' CODEC(T64, ZSTD(1)),
    `flush_us` UInt32 COMMENT 'Of log: flushing in the request (flush.messages), µs' CODEC(T64, ZSTD(1)),
    `sent_time` DateTime64(6, 'UTC') ALIAS read_time + toIntervalMicrosecond((((toInt64(queue_us) + local_us) + remote_us) + response_queue_us) + send_us) COMMENT 'When the response had been sent',
    INDEX read_time_minmax read_time TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(read_time)
ORDER BY (run_id, api, topic, partition, offset)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'One row per partition of an answered produce or fetch request';
