# SPDX-License-Identifier: Apache-2.0
"""What a panel asks, and where: the two data sources, and one builder of a target for each."""

from typing import Any

from grafana_foundation_sdk.builders import prometheus
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models.dashboard import DataSourceRef
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

CLICKHOUSE_PLUGIN = "grafana-clickhouse-datasource"
# The variables that every dashboard has; provisioning/datasources names what they stand for.
CLICKHOUSE = DataSourceRef(CLICKHOUSE_PLUGIN, "${clickhouse}")
METRICS = DataSourceRef("prometheus", "${metrics}")
PLUGIN_VERSION = "4.20.0"
TIME_SERIES, TABLE = 0, 1


class ClickHouseQuery(Dataquery):
    """The plugin's query model, as its SQL editor writes it."""

    def __init__(self, ref_id: str, sql: str, layout: int, source: DataSourceRef | None = None) -> None:
        self.ref_id = ref_id
        self.sql = sql
        self.layout = layout
        self.source = source or CLICKHOUSE

    def to_json(self) -> dict[str, Any]:
        """The names are the plugin's; it runs ``rawSql`` and shapes the answer by ``format``."""
        return {
            "refId": self.ref_id,
            "datasource": self.source,
            "pluginVersion": PLUGIN_VERSION,
            "editorType": "sql",
            "rawSql": self.sql,
            "queryType": "timeseries" if self.layout == TIME_SERIES else "table",
            "format": self.layout,
        }


class Target(Builder[Dataquery]):
    """A query that is finished already, where the SDK requires a builder."""

    def __init__(self, query: Dataquery) -> None:
        self.query = query

    def build(self) -> Dataquery:
        """The query itself."""
        return self.query


def sql_series(sql: str, ref_id: str = "A") -> Target:
    """Time series: the first column is the time, texts are labels, numbers are values."""
    return Target(ClickHouseQuery(ref_id, sql, TIME_SERIES))


def sql_table(sql: str, ref_id: str = "A") -> Target:
    """A table as the query returns it."""
    return Target(ClickHouseQuery(ref_id, sql, TABLE))


def promql(expr: str, legend: str, ref_id: str = "A") -> Target:
    """A range query of VictoriaMetrics; ``legend`` is Grafana's, with {{labels}}."""
    query = prometheus.Dataquery().expr(expr).legend_format(legend).ref_id(ref_id).range()
    return Target(query.datasource(METRICS).format(PromQueryFormat.TIME_SERIES).build())
