-- SPDX-License-Identifier: Apache-2.0
-- name: stages_measured
-- purpose: How many messages have their stages, and why others have not.
-- param run_id String: run to read
-- param from DateTime('UTC') = 1970-01-01T00:00:00: first second
-- param to DateTime('UTC') = 2100-01-01T00:00:00 in >=from: last second
-- returns side String, messages UInt64, measured UInt64, measured_share Float64, reasons Array(Tuple(String, UInt64))
-- Reasons: agent off (no request of the partition was recorded at that time), before the agent, rows lost (requests
-- around it were recorded), no offset (acks=0), no fetch, not published here.
SELECT side, sumIf(counted, by = 'run') AS messages,
    toUInt64(messages - sumIf(counted, by = 'reason')) AS measured, measured / messages AS measured_share,
    arraySort(groupArrayIf((place, counted), by = 'reason')) AS reasons
FROM
(
    SELECT CAST(side, 'String') AS side, by, CAST(place, 'String') AS place, sum(messages) AS counted
    FROM v_stages_1s(run_id = {run_id:String})
    WHERE by IN ('run', 'reason') AND stage = 'latency'
        AND time BETWEEN {from:DateTime('UTC')} AND {to:DateTime('UTC')}
    GROUP BY side, by, place
)
GROUP BY side
ORDER BY side DESC
