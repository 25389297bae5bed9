-- SPDX-License-Identifier: Apache-2.0
-- name: audit_corrupt
-- purpose: Per worker, the first messages received that differ from the bytes that were sent.
-- param run_id String: run to read
-- param first UInt32 = 5 in 1..: how many places of each worker to list
-- returns worker UInt16, places Array(String)
-- places: topic/partition@offset, in the order of receipt. A consumer names its first 100.
SELECT
    worker,
    arraySlice(arrayDistinct(arrayMap(each -> each.2, arraySort(groupArray((time, place))))), 1,
        {first:UInt32}) AS places
FROM
(
    SELECT worker, time, concat(name, '@', toString(JSONExtractInt(detail, 'offset'))) AS place
    FROM v_run_events
    WHERE run_id = {run_id:String} AND kind = 'corruption'
)
GROUP BY worker
ORDER BY worker
