-- SPDX-License-Identifier: Apache-2.0
-- name: latency_curve
-- purpose: Percentile curve of the measure phase per stage, 50 % to 99.999 % in even steps of log(1 - p), from the rollup (within 0.4 %).
-- param run_id String: run to read
-- returns stage LowCardinality(String), percentile Float64, value_us Int64
-- Seconds that start in the measure phase count, of one that has not ended all so far. A point needs at least one message above it, so
-- small runs end earlier.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT if(end_time > start_time, end_time, toDateTime64('2100-01-01 00:00:00', 6, 'UTC')) FROM v_phases
        WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end
SELECT
    toLowCardinality(stage) AS stage,
    round(100 * (1 - tail), 6) AS percentile,
    -- Nearest rank, counted from the top so that no digit of 1 - p is lost.
    values[arrayFirstIndex(c -> c >= total - floor(total * tail + 1e-9), counts)] AS value_us
FROM
(
    SELECT
        stage,
        sum(messages) AS total,
        arraySort(groupArray((us, messages))) AS buckets,
        buckets.1 AS values,
        arrayCumSum(buckets.2) AS counts
    FROM
    (
        -- A stage at a time: comparing names in each row would cost more than all else.
        SELECT 'publish_delay' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'publish_delay' AND time >= measure_start AND time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'publish_service' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'publish_service' AND time >= measure_start AND time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'publish' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'publish' AND time >= measure_start AND time < measure_end
        GROUP BY us
        UNION ALL
        SELECT 'end_to_end' AS stage, value_us AS us, sum(events) AS messages
        FROM v_latency_1s AS l
        WHERE run_id = {run_id:String} AND l.stage = 'end_to_end' AND time >= measure_start AND time < measure_end
        GROUP BY us
    )
    GROUP BY stage
)
ARRAY JOIN arrayConcat([0.5], arrayMap(step -> exp10(-step / 10), range(4, 51))) AS tail
WHERE total * tail + 1e-9 >= 1
ORDER BY stage, percentile
