-- SPDX-License-Identifier: Apache-2.0
-- Message n of a run: 8 producers at 50,000 messages a second together, 12 partitions, transactions of 100 messages.
SELECT
    number AS n,
    toUInt32(n % 8) AS producer,
    intDiv(n, 8) AS sequence,
    toInt32(sequence % 12) AS partition,
    toInt64(intDiv(sequence, 12) * 8 + producer) AS offset,
    {start_us:Int64} + n * 20 AS intended_us,
    -- A batch is acknowledged, and received, every 4 ms.
    intDiv(intended_us, 4000) * 4000 + 6000 AS ack_us,
    ack_us + 1000 AS receive_us
FROM numbers({first:UInt64}, {rows:UInt64})
