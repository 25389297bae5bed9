CREATE VIEW default.v_stage_messages
AS SELECT
    worker,
    producer,
    toUInt32(0) AS consumer,
    toUInt16(0) AS subscription,
    topic,
    partition,
    intended_time,
    ack_time AS answered_time,
    if({stage:String} = 'publish', publish_latency_us, if({stage:String} = 'publish_delay', publish_delay_us, publish_service_us)) AS us
FROM default.v_publishes
WHERE ({stage:String} IN ('publish', 'publish_delay', 'publish_service')) AND (run_id = {run_id:String})
UNION ALL
SELECT
    worker,
    producer,
    consumer,
    subscription,
    topic,
    partition,
    intended_time,
    receive_time AS answered_time,
    end_to_end_us AS us
FROM default.v_deliveries
WHERE ({stage:String} = 'end_to_end') AND (run_id = {run_id:String});
