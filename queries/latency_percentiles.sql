-- SPDX-License-Identifier: Apache-2.0
-- name: latency_percentiles
-- purpose: Exact latency percentiles (nearest rank, raw rows) of the messages due in the measure phase, per stage, in µs.
-- param run_id String: run to read
-- returns stage String, events UInt64, p50_us Int64, p75_us Int64, p90_us Int64, p95_us Int64, p99_us Int64, p99_9_us Int64, p99_99_us Int64, max_us Int64
-- Two passes, so that memory does not grow with the run: the first counts the rollup's buckets (bucket_of) and finds the
-- one that holds each rank, the second counts the values of these buckets only.
WITH
    (SELECT start_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_start,
    (SELECT end_time FROM v_phases WHERE run_id = {run_id:String} AND phase = 'measure') AS measure_end,
    us -> if(us < 0, -1, 1) * toInt32(bitShiftRight(reinterpretAsUInt32(toFloat32(abs(us))), 16)) AS bucket_of,
    -- (stage, bucket, level, the rank's place in the bucket, messages of the stage, its greatest value)
    (
        SELECT groupArray((stage, bucket, level, rank - before, events, most))
        FROM
        (
            SELECT stage, bucket, level, greatest(1, toUInt64(ceil(level * events))) AS rank, upto - messages AS before, upto, events, most
            FROM
            (
                SELECT stage, bucket, messages,
                    sum(messages) OVER (PARTITION BY stage ORDER BY bucket ROWS UNBOUNDED PRECEDING) AS upto,
                    sum(messages) OVER (PARTITION BY stage) AS events,
                    max(greatest_us) OVER (PARTITION BY stage) AS most
                FROM
                (
                    SELECT 'publish' AS stage, bucket_of(publish_latency_us) AS bucket, count() AS messages, max(publish_latency_us) AS greatest_us
                    FROM v_publishes
                    WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                    GROUP BY bucket
                    UNION ALL
                    SELECT 'publish_delay' AS stage, bucket_of(publish_delay_us) AS bucket, count() AS messages, max(publish_delay_us) AS greatest_us
                    FROM v_publishes
                    WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                    GROUP BY bucket
                    UNION ALL
                    SELECT 'publish_service' AS stage, bucket_of(publish_service_us) AS bucket, count() AS messages, max(publish_service_us) AS greatest_us
                    FROM v_publishes
                    WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                    GROUP BY bucket
                    UNION ALL
                    SELECT 'end_to_end' AS stage, bucket_of(end_to_end_us) AS bucket, count() AS messages, max(end_to_end_us) AS greatest_us
                    FROM v_deliveries
                    WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                    GROUP BY bucket
                )
            )
            ARRAY JOIN [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999] AS level
        )
        WHERE rank > before AND rank <= upto
    ) AS wanted,
    name -> arrayMap(w -> w.2, arrayFilter(w -> w.1 = name, wanted)) AS buckets_of
SELECT
    stage,
    any(events) AS events,
    minIf(us, level = 0.5) AS p50_us,
    minIf(us, level = 0.75) AS p75_us,
    minIf(us, level = 0.9) AS p90_us,
    minIf(us, level = 0.95) AS p95_us,
    minIf(us, level = 0.99) AS p99_us,
    minIf(us, level = 0.999) AS p99_9_us,
    minIf(us, level = 0.9999) AS p99_99_us,
    any(most) AS max_us
FROM
(
    SELECT stage, us, (arrayJoin(arrayFilter(w -> w.1 = stage AND w.2 = bucket AND w.4 <= upto, wanted)) AS found).3 AS level,
        found.5 AS events, found.6 AS most
    FROM
    (
        SELECT stage, bucket_of(us) AS bucket, us,
            sum(messages) OVER (PARTITION BY stage, bucket ORDER BY us ROWS UNBOUNDED PRECEDING) AS upto
        FROM
        (
            SELECT 'publish' AS stage, publish_latency_us AS us, count() AS messages
            FROM v_publishes
            WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                AND has(buckets_of('publish'), bucket_of(publish_latency_us))
            GROUP BY us
            UNION ALL
            SELECT 'publish_delay' AS stage, publish_delay_us AS us, count() AS messages
            FROM v_publishes
            WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                AND has(buckets_of('publish_delay'), bucket_of(publish_delay_us))
            GROUP BY us
            UNION ALL
            SELECT 'publish_service' AS stage, publish_service_us AS us, count() AS messages
            FROM v_publishes
            WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                AND has(buckets_of('publish_service'), bucket_of(publish_service_us))
            GROUP BY us
            UNION ALL
            SELECT 'end_to_end' AS stage, end_to_end_us AS us, count() AS messages
            FROM v_deliveries
            WHERE run_id = {run_id:String} AND intended_time >= measure_start AND intended_time < measure_end
                AND has(buckets_of('end_to_end'), bucket_of(end_to_end_us))
            GROUP BY us
        )
    )
)
GROUP BY stage
ORDER BY indexOf(['publish_delay', 'publish_service', 'publish', 'end_to_end'], stage)
