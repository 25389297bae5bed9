CREATE VIEW default.v_latency_values
AS SELECT
    us,
    bitShiftLeft(place, 16) + bitXor(bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16), if(us < 0, 65535, 32768)) AS code
FROM v_latency_groups(run_id = {run_id:String}, stage = {stage:String}, by = {by:String}, from_s = {from_s:Float64}, to_s = {to_s:Float64});
