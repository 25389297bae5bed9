-- SPDX-License-Identifier: Apache-2.0
-- name: campaign_runs
-- purpose: All runs of the campaign that a run belongs to, by point and repeat, with the varied values; no rows for a
--     run outside a campaign.
-- param run_id String: run to read
-- returns run_id String, campaign String, point UInt64, repeat UInt64, varied String, state LowCardinality(String),
--     audit String
WITH
    (SELECT any(JSONExtractString(manifest, 'campaign', 'name')) FROM v_runs WHERE run_id = {run_id:String}) AS wanted
SELECT
    run_id,
    JSONExtractString(manifest, 'campaign', 'name') AS campaign,
    JSONExtractUInt(manifest, 'campaign', 'point') AS point,
    JSONExtractUInt(manifest, 'campaign', 'repeat') AS repeat,
    arrayStringConcat(
        arrayMap(v -> concat(v.1, ' ', trim(BOTH '"' FROM v.2)),
            JSONExtractKeysAndValuesRaw(manifest, 'campaign', 'values')), ', ') AS varied,
    state,
    JSONExtractString(audit, 'verdict') AS audit
FROM v_runs
WHERE wanted != '' AND JSONExtractString(manifest, 'campaign', 'name') = wanted
ORDER BY point, repeat, run_id
