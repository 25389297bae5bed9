-- SPDX-License-Identifier: Apache-2.0
-- name: run_topics
-- purpose: The topics of a run, with the messages acknowledged, received and failed in each; from the rollup.
-- param run_id String: run to read
-- returns topic LowCardinality(String), acked UInt64, received UInt64, failed UInt64
SELECT
    toString(topic) AS topic,
    sumIf(events, stage = 'acked') AS acked,
    sumIf(events, stage = 'received') AS received,
    sumIf(events, stage = 'failed') AS failed
FROM v_throughput_1s
WHERE run_id = {run_id:String}
GROUP BY topic
ORDER BY topic
