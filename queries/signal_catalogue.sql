-- SPDX-License-Identifier: Apache-2.0
-- name: signal_catalogue
-- purpose: The signals that explain a run, and the metrics of each.
-- returns signal String, unit String, sources Array(String)
SELECT
    signal,
    any(unit) AS unit,
    arraySort(groupUniqArray(concat(part, ' ', metric, if(needs = '', '', concat(' {', needs, '}'))))) AS sources
FROM v_signals
GROUP BY signal
ORDER BY signal
