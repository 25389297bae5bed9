-- Views of the rollups without a GROUP BY of their own. Parts that are not merged yet may hold a second, or a bucket
-- of it, in several rows; whoever reads sums, and a sum of sums is the same. Grouping first cost five times as much.

-- +goose Up
-- value_us is the midpoint of the bucket, rounded down: up to 256 µs a bucket holds one value, or two whose lower one it is.
CREATE OR REPLACE VIEW v_latency_1s AS
SELECT run_id, stage, topic, worker, time, bucket,
    if(bucket < 0, -1, 1) * toInt64(floor(if(bucket = 0, 0,
        reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(bucket)), 16) + 32768)))) AS value_us,
    CAST(events, 'UInt64') AS events
FROM latency_1s;

CREATE OR REPLACE VIEW v_throughput_1s AS
SELECT run_id, stage, topic, worker, time, CAST(events, 'UInt64') AS events, CAST(bytes, 'UInt64') AS bytes
FROM throughput_1s;
