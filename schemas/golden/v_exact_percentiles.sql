CREATE VIEW default.v_exact_percentiles
AS WITH
    (
        SELECT groupArray((code, level, greatest(1, toUInt64(ceil(level * events))) - (upto - messages), events, most))
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
                    count() AS messages,
                    max(us) AS greatest_us
                FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String}, from_s = {from_s:Float64}, to_s = {to_s:Float64})
                GROUP BY code
            )
        )
        ARRAY JOIN arrayFilter(level -> ((greatest(1, toUInt64(ceil(level * events))) > (upto - messages)) AND (greatest(1, toUInt64(ceil(level * events))) <= upto)), [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999]) AS level
    ) AS wanted,
    (
        SELECT topics
        FROM v_run_topics(run_id = {run_id:String})
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
            code,
            us,
            count() AS messages
        FROM v_latency_values(run_id = {run_id:String}, stage = {stage:String}, by = {by:String}, from_s = {from_s:Float64}, to_s = {to_s:Float64})
        WHERE code IN (
            SELECT (arrayJoin(wanted)).1
        )
        GROUP BY
            code,
            us
        SETTINGS optimize_move_to_prewhere = 0
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
