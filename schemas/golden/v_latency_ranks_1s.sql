CREATE VIEW default.v_latency_ranks_1s
AS SELECT
    time,
    upto[-1] AS events,
    upto,
    arrayMap(m -> (if(m < 9223372036854775808, -1, 1) * toInt64(floor(if(bitShiftRight(m, 48) = 32768, 0, reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(toInt32(bitShiftRight(m, 48)) - 32768)), 16) + 32768))))), counted) AS values_us
FROM
(
    SELECT
        time,
        arraySort(groupArray(bitShiftLeft(toUInt64(bucket + 32768), 48) + toUInt64(events))) AS counted,
        arrayCumSum(m -> bitAnd(m, 281474976710655), counted) AS upto
    FROM default.rollup_1s
    WHERE (run_id = {run_id:String}) AND (stage = {stage:String}) AND (stage IN ('publish', 'publish_service', 'publish_delay', 'end_to_end'))
    GROUP BY time
);
