CREATE VIEW default.v_stage_names
(
    `names` Array(String)
)
AS SELECT ['schedule', 'client', 'throttle', 'request_queue', 'lock_wait', 'segment_roll', 'append', 'log_flush', 'handler', 'replication', 'response_queue', 'to_client', 'fetch_wait', 'fetch_queue', 'fetch_read', 'fetch_send', 'consumer', 'unattributed', 'not_measured'] AS names;
