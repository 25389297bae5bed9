CREATE TABLE default.stages_1s
(
    `run_id` LowCardinality(String) COMMENT 'Run',
    `made_time` DateTime64(6, 'UTC') COMMENT 'Computation that the row is of' CODEC(ZSTD(1)),
    `side` LowCardinality(String) COMMENT 'publish or delivery',
    `by` LowCardinality(String) COMMENT 'run, broker, partition, producer or reason',
    `time` DateTime('UTC') COMMENT 'Second of the intended send' CODEC(Delta(4), ZSTD(1)),
    `stage` LowCardinality(String) COMMENT 'Stage, or latency: the whole',
    `place` LowCardinality(String) COMMENT 'Which broker, topic/partition, producer or reason; empty by run',
    `band` UInt8 COMMENT '2: slowest 1 % of the second; 1: other slowest 10 %; 0: others' CODEC(ZSTD(1)),
    `bucket` Int16 COMMENT 'Log-linear bucket of the time in µs, of 5 mantissa bits; 0 unless by run' CODEC(Delta(2), ZSTD(1)),
    `messages` UInt64 COMMENT 'Messages' CODEC(T64, ZSTD(1)),
    `us` Int64 COMMENT 'Sum of their times in the stage, µs' CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (run_id, side, by, time, stage, place, band, bucket)
SETTINGS index_granularity = 8192
COMMENT 'Time in each stage per second, computed at the run\'s end';
