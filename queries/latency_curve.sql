-- SPDX-License-Identifier: Apache-2.0
-- name: latency_curve
-- purpose: Percentile curve of the measure phase per stage, 50 % to 99.999 % in even steps of log(1 - p), from the
--     rollup (within 0.4 %).
-- param run_id String: run to read
-- returns stage LowCardinality(String), percentile Float64, value_us Int64
-- It counts the seconds that start in the measure phase; in a phase that has not ended, all so far. A point needs at
-- least one message above it, so small runs end earlier.
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
        arraySort(groupArray((value_us, messages))) AS buckets,
        buckets.1 AS values,
        arrayCumSum(buckets.2) AS counts
    FROM v_measured_latencies(run_id = {run_id:String})
    GROUP BY stage
)
ARRAY JOIN arrayConcat([0.5], arrayMap(step -> exp10(-step / 10), range(4, 51))) AS tail
WHERE total * tail + 1e-9 >= 1
ORDER BY stage, percentile
