CREATE VIEW default.v_newest_seconds
AS SELECT second
FROM
(
    SELECT
        second,
        sum(messages) OVER (ORDER BY second DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto
    FROM
    (
        SELECT
            v.time AS second,
            sum(v.events) AS messages
        FROM default.v_latency_1s AS v
        WHERE (run_id = {run_id:String}) AND (stage = {stage:String}) AND ((v.time >= {from:DateTime('UTC')}) AND (v.time <= {to:DateTime('UTC')}))
        GROUP BY second
    )
)
WHERE upto <= {most_rows:UInt64};
