CREATE VIEW default.v_stage_histogram
AS WITH
    (
        SELECT arrayConcat(['latency'], names)
        FROM default.v_stage_names
    ) AS names
SELECT
    if(bitTest(key, 28), 'delivery', 'publish') AS side,
    'run' AS by,
    toDateTime(bitShiftRight(key, 32), 'UTC') AS time,
    names[bitAnd(bitShiftRight(key, 16), 255) + 1] AS stage,
    '' AS place,
    toUInt8(bitAnd(bitShiftRight(key, 24), 15)) AS band,
    toInt16(if(bitTest(key, 13), -1, 1) * toInt32(bitAnd(key, 8191))) AS bucket,
    counted AS messages,
    total AS us
FROM
(
    SELECT
        (place + (number * 65536)) + bitShiftRight(reinterpretAsUInt32(toFloat32(spent)), 18) AS key,
        count() AS counted,
        sum(spent) AS total
    FROM
    (
        SELECT
            ((toUInt64(second) * 4294967296) + ((side = 'delivery') * 268435456)) + (band * 16777216) AS place,
            arrayConcat([us], parts) AS whole
        FROM v_stage_parts(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
    )
    ARRAY JOIN
        whole AS spent,
        arrayMap(n -> toUInt64(n - 1), arrayEnumerate(whole)) AS number
    WHERE (spent != 0) OR (number = 0)
    GROUP BY key
);
