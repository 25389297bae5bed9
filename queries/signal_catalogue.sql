-- SPDX-License-Identifier: Apache-2.0
-- name: signal_catalogue
-- purpose: The signals that a run is explained by, and the metrics each is made of.
-- returns signal String, unit String, sources Array(String)
SELECT
    signal,
    any(unit) AS unit,
    arraySort(groupUniqArray(concat(part, ' ', metric, if(needs = '', '', concat(' {', needs, '}'))))) AS sources
FROM v_signals
GROUP BY signal
ORDER BY signal
