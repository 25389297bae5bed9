-- SPDX-License-Identifier: Apache-2.0
INSERT INTO publishes
    (run_id, worker, producer, topic, partition, offset, intended_time, publish_delay_us, ack_time, payload_bytes)
SELECT
    {run_id:String}, 0, producer, 'bench-0', partition, offset,
    fromUnixTimestamp64Micro(intended, 'UTC'), delay, fromUnixTimestamp64Micro(ack, 'UTC'), 1024
FROM (/* messages */)
