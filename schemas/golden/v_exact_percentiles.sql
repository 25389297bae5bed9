CREATE VIEW default.v_exact_percentiles
AS WITH
    (
        SELECT groupArray((code, level, rank - before, events, most))
        FROM
        (
            SELECT
                code,
                level,
                greatest(1, toUInt64(ceil(level * events))) AS rank,
                upto - messages AS before,
                upto,
                events,
                most
            FROM
            (
                SELECT
                    code,
                    messages,
                    sum(messages) OVER (PARTITION BY bitShiftRight(code, 16) ORDER BY code ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto,
                    sum(messages) OVER (PARTITION BY bitShiftRight(code, 16)) AS events,
                    max(greatest_us) OVER (PARTITION BY bitShiftRight(code, 16)) AS most
                FROM
                (
                    SELECT
                        code,
                        sum(messages) AS messages,
                        max(us) AS greatest_us
                    FROM
                    (
                        SELECT
                            us,
                            count() AS messages,
                            bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16) AS top,
                            bitShiftLeft(place, 16) + toUInt16(if(us < 0, 32768 - bitAnd(top, 32767), 32768 + top)) AS code
                        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String}, from_s = {from_s:Float64}, to_s = {to_s:Float64})
                        GROUP BY
                            place,
                            us
                    )
                    GROUP BY code
                )
            )
            ARRAY JOIN [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999] AS level
        )
        WHERE (rank > before) AND (rank <= upto)
    ) AS wanted,
    (
        SELECT arraySort(groupUniqArray(CAST(topic, 'String')))
        FROM default.v_throughput_1s
        WHERE run_id = {run_id:String}
    ) AS topics
SELECT
    topics[bitShiftRight(w.code, 48)] AS topic,
    toInt64(bitAnd(bitShiftRight(w.code, 16), 4294967295)) AS member,
    any(w.events) AS events,
    minIf(us, level = 0.5) AS p50_us,
    minIf(us, level = 0.75) AS p75_us,
    minIf(us, level = 0.9) AS p90_us,
    minIf(us, level = 0.95) AS p95_us,
    minIf(us, level = 0.99) AS p99_us,
    minIf(us, level = 0.999) AS p99_9_us,
    minIf(us, level = 0.9999) AS p99_99_us,
    any(w.most) AS max_us
FROM
(
    SELECT
        code,
        us,
        sum(messages) OVER (PARTITION BY code ORDER BY us ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto
    FROM
    (
        SELECT
            us,
            count() AS messages,
            bitShiftRight(reinterpretAsUInt32(toFloat32(us)), 16) AS top,
            bitShiftLeft(place, 16) + toUInt16(if(us < 0, 32768 - bitAnd(top, 32767), 32768 + top)) AS code
        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String}, from_s = {from_s:Float64}, to_s = {to_s:Float64})
        GROUP BY
            place,
            us
    )
    WHERE code IN (
        SELECT (arrayJoin(wanted)).1
    )
) AS v
INNER JOIN
(
    SELECT
        (arrayJoin(wanted) AS found).1 AS code,
        found.2 AS level,
        found.3 AS nth,
        found.4 AS events,
        found.5 AS most
) AS w ON w.code = v.code
WHERE upto >= nth
GROUP BY
    topic,
    member;
