-- SPDX-License-Identifier: Apache-2.0
-- name: broker_log_evidence
-- purpose: The gravest lines that brokers, their garbage collectors and the kernel wrote in a window, one per kind;
--     needs a cluster with Vector.
-- param run_id String: run to read
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- param pause_ms Float64 = 50 in 0..: shortest garbage collection pause to show
-- param rows UInt32 = 8 in 1..1000: most kinds to show
-- param most_lines UInt64 = 100000 in 1..: most lines to sort into kinds
-- returns first_time DateTime64(6, 'UTC'), last_time DateTime64(6, 'UTC'), host LowCardinality(String),
--     source LowCardinality(String), level String, logger LowCardinality(String), message String, lines UInt64,
--     pause_ms Nullable(Float64), kinds UInt64, all_lines UInt64
-- Lines of one kind differ only in numbers, decimal or hexadecimal. The first line of a kind is shown; of pauses the
-- longest.
-- Order: fatal lines and the kernel's warnings about drives, errors, pauses, warnings, other kernel lines about drives.
-- kinds and all_lines count without the limit of rows; of more than most_lines lines, kinds counts those of the gravest
-- ones.
WITH
    graded AS
    (
        SELECT
            v.time AS at,
            v.host AS at_host,
            v.source AS origin,
            v.level AS grade,
            v.logger AS part,
            substringUTF8(v.message, 1, 300) AS text,
            if(v.source = 'gc', toFloat64OrZero(extract(v.message, 'Pause .* ([0-9.]+)ms$')), 0) AS pause,
            multiIf(
                v.level = 'FATAL' OR (v.source = 'kernel' AND v.level IN ('WARN', 'ERROR')), 5,
                v.level = 'ERROR', 4,
                pause > 0, if(pause >= {pause_ms:Float64}, 3, 0),
                v.level = 'WARN', 2,
                v.source = 'kernel', 1,
                0) AS weight
        FROM v_broker_logs AS v
        WHERE run_id = {run_id:String} AND v.time >= {from:DateTime('UTC')} AND v.time < {to:DateTime('UTC')} + 1
            AND (v.level IN ('WARN', 'ERROR', 'FATAL') OR v.source IN ('gc', 'kernel')) AND weight > 0
    ),
    (SELECT count() FROM graded) AS found
SELECT
    min(at) AS first_time,
    max(at) AS last_time,
    at_host AS host,
    origin AS source,
    argMax(grade, (pause, -toUnixTimestamp64Micro(at))) AS level,
    part AS logger,
    argMax(text, (pause, -toUnixTimestamp64Micro(at))) AS message,
    count() AS lines,
    nullIf(max(pause), 0) AS pause_ms,
    count() OVER () AS kinds,
    toUInt64(ifNull(found, 0)) AS all_lines
FROM
(
    SELECT at, at_host, origin, grade, part, text, pause, weight
    FROM graded
    ORDER BY weight DESC, pause DESC, at, at_host, text
    LIMIT {most_lines:UInt64}
)
GROUP BY weight, at_host, origin, part, replaceRegexpAll(text, '[0-9a-fA-F]{8,}|[0-9]+', '0')
ORDER BY weight DESC, max(pause) DESC, first_time, host, source, message
LIMIT {rows:UInt32}
