-- SPDX-License-Identifier: Apache-2.0
-- Message n of a run: 8 producers at 50,000 messages a second together, 12 partitions, transactions of 100 messages.
-- In one second of fifty, every thousandth message of a producer has the intended send of the one before it.
SELECT
    number AS n,
    toUInt32(n % 8) AS producer,
    intDiv(n, 8) AS sequence,
    toUInt32(sequence % 1000 = 1 AND intDiv(sequence, 6250) % 50 = 0) AS tie,
    intDiv(sequence, 100) * 8 + producer AS transaction,
    transaction % 1000 = 500 OR transaction % 10 = 3 AS aborted,
    toInt32(sequence % 12) AS partition,
    toInt64(intDiv(sequence, 12) * 8 + producer) AS offset,
    {start_us:Int64} + (n - tie * 8) * 20 AS intended_us,
    -- A batch is acknowledged, and received, every 4 ms.
    intDiv(intended_us, 4000) * 4000 + 6000 AS ack_us,
    ack_us + 1000 AS receive_us,
    -- Received again, as after a rebalance.
    n % 1000000 < 5000 AS again,
    n % 100 = 7 AS released
FROM numbers({first:UInt64}, {rows:UInt64})
