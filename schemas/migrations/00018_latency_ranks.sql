-- v_latency_ranks_1s(run_id = …, stage = …): the latencies of each second in order, of one stage. The one at level p is
-- values_us[arrayFirstIndex(n -> n >= ceil(p * events), upto)], the nearest rank. That costs a fifth of
-- quantilesExactWeighted, which keeps a hash table for each second. One stage at a time is read by the key; comparing
-- the name in each row costs more than all of the rest.

-- +goose Up

-- values_us as in v_latency_1s; upto: messages with that latency or less. A bucket and its messages are one number, which
-- sorts fast: 16 bits and 48.
CREATE VIEW IF NOT EXISTS v_latency_ranks_1s AS
SELECT
    time,
    upto[-1] AS events,
    upto,
    arrayMap(m -> if(m < 9223372036854775808, -1, 1) * toInt64(floor(if(bitShiftRight(m, 48) = 32768, 0,
        reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(toInt32(bitShiftRight(m, 48)) - 32768)), 16) + 32768)))),
        counted) AS values_us
FROM
(
    SELECT time,
        arraySort(groupArray(bitShiftLeft(toUInt64(bucket + 32768), 48) + toUInt64(events))) AS counted,
        arrayCumSum(m -> bitAnd(m, 281474976710655), counted) AS upto
    FROM rollup_1s
    WHERE run_id = {run_id:String} AND stage = {stage:String} AND stage IN ('publish', 'publish_service', 'publish_delay', 'end_to_end')
    GROUP BY time
);
