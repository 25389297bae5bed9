-- SPDX-License-Identifier: Apache-2.0
-- name: broker_drives
-- purpose: The run's brokers with their host and the drive under their log, from the manifest.
-- param run_id String: run to read
-- returns broker Int64, host String, device String
SELECT broker, host, device
FROM v_broker_drives
WHERE run_id = {run_id:String}
ORDER BY broker
