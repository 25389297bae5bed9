CREATE VIEW default.v_stages_1s
AS SELECT
    side,
    by,
    time,
    stage,
    place,
    band,
    bucket,
    if(bucket < 0, -1, 1) * toInt64(floor(if(bucket = 0, 0, reinterpretAsFloat32(bitShiftLeft(toUInt32(abs(bucket)), 18) + 131072)))) AS value_us,
    messages,
    us
FROM default.stages_1s
WHERE (run_id = {run_id:String}) AND (made_time = (
    SELECT max(made_time)
    FROM default.stages_made
    WHERE run_id = {run_id:String}
));
