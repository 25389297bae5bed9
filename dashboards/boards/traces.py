# SPDX-License-Identifier: Apache-2.0
"""The link from a message to its trace, which Grafana shows in Explore.

Spans are in the stock ClickHouse exporter's own table, which is there once the collector has
started. It is not part of Tailrace's schema, so no file of queries/ may read it.
"""

import json
from urllib.parse import quote

from grafana_foundation_sdk.builders.dashboard import DashboardLink

from boards.targets import CLICKHOUSE_PLUGIN, PLUGIN_VERSION

TRACE = 3
# Columns that Grafana's trace view requires; times in ms.
SQL = """SELECT TraceId AS traceID, SpanId AS spanID, ParentSpanId AS parentSpanID, ServiceName AS serviceName, \
SpanName AS operationName, Timestamp AS startTime, Duration / 1e6 AS duration, \
arrayMap(key -> map('key', key, 'value', SpanAttributes[key]), mapKeys(SpanAttributes)) AS tags \
FROM otel_traces WHERE TraceId IN (SELECT TraceId FROM otel_traces \
WHERE ResourceAttributes['tailrace.run.id'] = ${run:singlequote} \
AND SpanAttributes['messaging.destination.name'] = '${__data.fields.topic}' \
AND SpanAttributes['messaging.destination.partition.id'] = '${__data.fields.partition}' \
AND SpanAttributes['messaging.kafka.offset'] = '${__data.fields.offset}') ORDER BY startTime"""


def link() -> DashboardLink:
    """On a message's row. Explore is empty for a message that was not sampled."""
    query = {
        "refId": "A",
        "datasource": {"type": CLICKHOUSE_PLUGIN, "uid": "${clickhouse}"},
        "editorType": "sql",
        "queryType": "traces",
        "format": TRACE,
        "rawSql": SQL,
        "pluginVersion": PLUGIN_VERSION,
    }
    span = {"from": "${__from}", "to": "${__to}"}
    panes = json.dumps({"trace": {"datasource": "${clickhouse}", "queries": [query], "range": span}})
    return DashboardLink("Its trace").url(f"/explore?schemaVersion=1&panes={quote(panes, safe='${}_.:')}")
