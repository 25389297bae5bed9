-- SPDX-License-Identifier: Apache-2.0
-- name: audit_clock_offsets
-- purpose: Per host of the run's workers, the offset of its clock from the warehouse's, measured before and after the
--     load.
-- param run_id String: run to read
-- returns host String, workers Array(UInt16), least_us Float64, most_us Float64, measurements UInt64
-- The true offset was between least_us (offset - bound) and most_us (offset + bound) at both moments.
SELECT
    JSONExtractString(detail, 'host') AS host,
    arraySort(groupUniqArray(worker)) AS workers,
    min(JSONExtractFloat(detail, 'offset_us') - JSONExtractFloat(detail, 'bound_us')) AS least_us,
    max(JSONExtractFloat(detail, 'offset_us') + JSONExtractFloat(detail, 'bound_us')) AS most_us,
    count() AS measurements
FROM v_run_events
WHERE run_id = {run_id:String} AND kind = 'clock' AND name IN ('measured_start', 'measured_end')
GROUP BY host
ORDER BY host
