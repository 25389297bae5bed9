CREATE VIEW default.v_run_plan
AS SELECT
    trimBoth(any(JSONExtractString(manifest, 'plan', 'producer_config', 'acks'))) = '0' AS unanswered,
    any(JSONExtractString(manifest, 'plan', 'consumer_config', 'isolation.level')) AS isolation,
    any(JSONExtractString(manifest, 'plan', 'behaviour', 'groups')) = 'share' AS share_groups,
    if(share_groups, isolation = 'read_committed', isolation != 'read_uncommitted') AS reads_committed,
    any(JSONExtractArrayRaw(manifest, 'plan', 'topics')) AS planned_topics,
    any(JSONExtractArrayRaw(manifest, 'plan', 'phases')) AS planned_phases,
    intDivOrZero(any(JSONExtractUInt(manifest, 'plan', 'consumer_groups')), length(planned_topics)) AS groups,
    arrayMap(topic -> JSONExtractString(topic, 'name'), planned_topics) AS topics,
    arrayMap(topic -> JSONExtractBool(topic, 'existing'), planned_topics) AS existing,
    arrayMap(topic -> if(JSONHas(topic, 'subscriptions'), JSONExtractUInt(topic, 'subscriptions'), groups), planned_topics) AS topic_groups,
    mapFromArrays(arrayMap(phase -> JSONExtractString(phase, 'name'), planned_phases), arrayMap(phase -> JSONExtractFloat(phase, 'messages_per_second'), planned_phases)) AS targets
FROM default.v_runs
WHERE run_id = {run_id:String};
