# SPDX-License-Identifier: Apache-2.0
"""What a panel asks, and where: the two data sources, and one builder of a target for each."""

from collections.abc import Mapping
from typing import Any

from grafana_foundation_sdk.builders import prometheus
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models.dashboard import DataSourceRef
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from boards import rendering
from tailrace.api import BadInput

CLICKHOUSE_PLUGIN = "grafana-clickhouse-datasource"
# The variables that every dashboard has; provisioning/datasources has their data sources.
CLICKHOUSE = DataSourceRef(CLICKHOUSE_PLUGIN, "${clickhouse}")
METRICS = DataSourceRef("prometheus", "${metrics}")
PLUGIN_VERSION = "4.20.0"
TIME_SERIES, TABLE = 0, 1
# Names of a panel's PromQL queries, one each.
REF_IDS = "ABC"


class ClickHouseQuery(Dataquery):
    """The plugin's query model, as its SQL editor writes it."""

    def __init__(self, ref_id: str, sql: str, layout: int) -> None:
        self.ref_id = ref_id
        self.sql = sql
        self.layout = layout

    def to_json(self) -> dict[str, Any]:
        """The names are the plugin's; it runs ``rawSql`` and shapes the answer by ``format``."""
        return {
            "refId": self.ref_id,
            "datasource": CLICKHOUSE,
            "pluginVersion": PLUGIN_VERSION,
            "editorType": "sql",
            "queryType": "timeseries" if self.layout == TIME_SERIES else "table",
            "format": self.layout,
            "rawSql": self.sql,
        }


class Target(Builder[Dataquery]):
    """A query that is finished already, where the SDK requires a builder."""

    def __init__(self, query: Dataquery) -> None:
        self.query = query

    def build(self) -> Dataquery:
        """The query itself."""
        return self.query


def promql(expr: str, legend: str, ref_id: str = "A") -> Target:
    """A range query of VictoriaMetrics; ``legend`` is Grafana's, with {{labels}}."""
    query = prometheus.Dataquery().expr(expr).legend_format(legend).ref_id(ref_id).range()
    return Target(query.datasource(METRICS).format(PromQueryFormat.TIME_SERIES).build())


def sql(entry: Mapping[str, Any], ref_id: str = "A") -> ClickHouseQuery:
    """The query that an entry of a page asks for: ``points``, ``per_second`` or ``rows``."""
    (form,) = entry.keys() & rendering.FORMS.keys()
    return ClickHouseQuery(ref_id, rendering.statement(form, entry[form]), TABLE if form == "rows" else TIME_SERIES)


def take_targets(entry: dict[str, Any]) -> list[Target]:
    """Take what a panel asks out of its entry. ``promql`` is an expression, or several by their legends."""
    legend, asked = entry.pop("legend", ""), entry.pop("promql", None)
    if asked is not None:
        by_legend = asked if isinstance(asked, dict) else {legend: asked}
        if len(by_legend) > len(REF_IDS):
            legends = ", ".join(by_legend)
            raise BadInput(f"a panel takes at most {len(REF_IDS)} expressions under promql, not {legends}")
        return [promql(expr, name, ref_id) for ref_id, (name, expr) in zip(REF_IDS, by_legend.items(), strict=False)]
    query = sql(entry)
    for form in rendering.FORMS:
        entry.pop(form, None)
    return [Target(query)]
