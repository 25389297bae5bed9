-- SPDX-License-Identifier: Apache-2.0
-- Messages {first} … {first} + {rows} of a run of {rate} messages a second; everything is a hash of numbers.
-- Four producers fill batches of 16 for one of 16 partitions after another, so a batch shares its acknowledgement, and a
-- poll what it returns. Latency is lognormal with a slow swell, a stall of 40 ms every 5 minutes and rare long tails.
SELECT
    producer,
    partition,
    offset,
    intended,
    delay,
    closed + service AS ack,
    -- A poll returns once a millisecond at most.
    intDiv(ack + toInt64(120 - 260 * log(u[6])), 1000) * 1000 + 1000 + toInt64(partition) * 37 AS receive
FROM
(
    SELECT
        number % 4 AS producer,
        intDiv(number, 4) AS sequence,
        intDiv(sequence, 16) AS batch,
        (batch + 4 * producer) % 16 AS partition,
        intDiv(batch, 16) * 64 + producer * 16 + sequence % 16 AS offset,
        {start_us:Int64} + toInt64(intDiv(number * 1000000, {rate:UInt32})) AS intended,
        {start_us:Int64} + toInt64(intDiv(((batch + 1) * 16 - 1) * 4 * 1000000, {rate:UInt32})) AS closed,
        arrayMap(salt -> (cityHash64(producer, batch, salt) % 1000003 + 0.5) / 1000003, range(7)) AS u,
        toInt64(12 + cityHash64(number) % 48) + if(u[1] < 0.002, toInt64(2000 * u[2]), 0) AS delay,
        sqrt(-2 * log(u[3])) * cos(2 * pi() * u[4]) AS normal,
        (intended - {start_us:Int64}) / 1e6 AS s,
        if(u[5] < 0.004, 1 + 14 * u[7], 1) AS tail,
        if(s % 300 BETWEEN 100 AND 102, 40000, 0) AS stall,
        toInt64(tail * exp(6.9 + 0.4 * normal + 0.25 * sin(s / 40))) + stall AS service
    FROM numbers({first:UInt64}, {rows:UInt64})
)
