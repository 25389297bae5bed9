-- SPDX-License-Identifier: Apache-2.0
-- Every message of a seeded run; all values are hashes of its number, so a seed always gives the same rows.
-- A calm run with a slow swell; 0.2 s into second spike_s of the measure, messages wait 420 ms for the drive.
SELECT
    number,
    intended,
    delay,
    intended + delay + greatest(service, stalled) AS ack,
    ack + toInt64(180 - 420 * log(u5)) AS receive
FROM
(
    SELECT
        number,
        arrayMap(salt -> (cityHash64(number, salt) % 1000003 + 0.5) / 1000003, range(9)) AS u,
        u[6] AS u5,
        {start_us:Int64} + intDiv(number * 1000000, {rate:UInt32}) AS intended,
        intended - {start_us:Int64} - {warmup_s:Int64} * 1000000 AS us,
        {spike_s:Int64} * 1000000 + 620000 AS spike_end,
        toInt64({late_us:Int64} + 4 - 22 * log(u[1]) + if(u[2] < 0.0004, 1500 * u[3], 0)) AS delay,
        sqrt(-2 * log(u[4])) * cos(2 * pi() * u[5]) AS normal,
        if(u[7] < 0.006, 1 + 9 * u[8], 1) AS tail,
        toInt64(tail * exp(6.75 + 0.34 * normal + 0.22 * sin(us / 6.5e6))) AS service,
        if(us BETWEEN spike_end - 420000 AND spike_end, spike_end - us, 0) AS stalled
    FROM numbers({rate:UInt32} * ({warmup_s:Int64} + {measure_s:Int64}))
)
WHERE NOT has({silent_s:Array(Int64)}, intDiv(us, 1000000))
