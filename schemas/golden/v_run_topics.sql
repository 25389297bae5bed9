CREATE VIEW default.v_run_topics
AS SELECT arraySort(groupUniqArray(CAST(topic, 'String'))) AS topics
FROM default.v_throughput_1s
WHERE run_id = {run_id:String};
