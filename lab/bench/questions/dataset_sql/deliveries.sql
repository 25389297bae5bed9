-- SPDX-License-Identifier: Apache-2.0
INSERT INTO deliveries
    (run_id, worker, subscription, consumer, producer, topic, partition, offset, intended_time, receive_time, payload_bytes)
SELECT
    {run_id:String}, 0, 0, partition % 4, producer, 'bench-0', partition, offset,
    fromUnixTimestamp64Micro(intended, 'UTC'), fromUnixTimestamp64Micro(receive, 'UTC'), 1024
FROM (/* messages */)
