CREATE VIEW default.v_stage_places
AS WITH
    (
        SELECT arrayConcat(['latency'], names)
        FROM default.v_stage_names
    ) AS names
SELECT
    side,
    entry.1 AS by,
    toDateTime(second, 'UTC') AS time,
    stage,
    entry.2 AS place,
    band,
    toInt16(0) AS bucket,
    sum(counted) AS messages,
    sum(spent) AS us
FROM
(
    SELECT
        side,
        second,
        band,
        arrayJoin(arrayFilter(e -> ((e.2) != ''), [('broker', toString(broker)), ('partition', concat(topic, '/', toString(partition))), ('producer', toString(producer)), ('reason', CAST(not_measured, 'String'))])) AS entry,
        totals,
        counts
    FROM
    (
        SELECT
            side,
            second,
            band,
            broker,
            topic,
            partition,
            producer,
            not_measured,
            sumForEach(arrayConcat([us], parts)) AS totals,
            sumForEach(arrayConcat([CAST('1', 'UInt64')], arrayMap(part -> toUInt64(part != 0), parts))) AS counts
        FROM v_stage_parts(run_id = {run_id:String}, from_s = {from_s:UInt32}, to_s = {to_s:UInt32})
        GROUP BY
            side,
            second,
            band,
            broker,
            topic,
            partition,
            producer,
            not_measured
    )
)
ARRAY JOIN
    totals AS spent,
    counts AS counted,
    names AS stage
WHERE counted > 0
GROUP BY
    side,
    second,
    band,
    stage,
    entry;
