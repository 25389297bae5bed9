# SPDX-License-Identifier: Apache-2.0
"""What all dashboards share: variables, the run's own row, annotations, links, the layout."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import dashboard as model

from boards import links, rendering
from boards.panels import AnyPanel, grid
from boards.targets import CLICKHOUSE, CLICKHOUSE_PLUGIN, METRICS, TABLE, ClickHouseQuery, sql_table

CLICKHOUSE_UID, METRICS_UID = "tailrace-clickhouse", "tailrace-victoriametrics"
TAG = "tailrace"
# How often a dashboard with panels of what happens now asks anew.
LIVE = "10s"
Variable = Builder[model.VariableModel]
MARKS = {
    "phase": ("Phases", "blue"),
    "alert": ("Alerts", "red"),
    "mark": ("Marked by hand", "purple"),
    "event": ("Events", "orange"),
}


@dataclass(frozen=True)
class Section:
    """A row of panels under a title; ``repeat`` names a variable: one row for each value. What is ``folded`` asks
    nothing until someone opens it; it comes last."""

    title: str
    panels: Sequence[AnyPanel]
    repeat: str = ""
    folded: bool = False


class Marks(model.AnnotationQuery):
    """An annotation whose target is a query of ClickHouse; the SDK has no model for it."""

    query: ClickHouseQuery

    def to_json(self) -> dict[str, object]:
        """Grafana finds time, timeEnd, title, text and tags by the columns' names."""
        return {**super().to_json(), "target": self.query}


class MarksBuilder(Builder[model.AnnotationQuery]):
    """Annotations that a rendered query makes."""

    def __init__(self, title: str, color: str, sql: str) -> None:
        self.marks = Marks(name=title, datasource=CLICKHOUSE, enable=True, icon_color=color)
        self.marks.query = ClickHouseQuery("Anno", sql, TABLE)

    def build(self) -> model.AnnotationQuery:
        """The model."""
        return self.marks


def marks_of_run() -> list[MarksBuilder]:
    """Phases, alerts, what people marked, and other events."""
    columns = ("time", "timeEnd", "title", "text", "tags")
    return [MarksBuilder(*MARKS[kind], rendering.rows("run_marks", columns, kind=kind)) for kind in MARKS]


def source_variables() -> list[Variable]:
    """Which data sources; the provisioned ones unless someone chooses others."""
    chosen = model.VariableOption(text="Tailrace ClickHouse", value=CLICKHOUSE_UID)
    other = model.VariableOption(text="Tailrace VictoriaMetrics", value=METRICS_UID)
    clickhouse = build.DatasourceVariable("clickhouse").label("ClickHouse").type(CLICKHOUSE_PLUGIN)
    metrics = build.DatasourceVariable("metrics").label("Metrics").type("prometheus")
    hide = model.VariableHide.HIDE_VARIABLE
    return [clickhouse.current(chosen).hide(hide), metrics.current(other).hide(hide)]


def from_query(name: str, label: str, sql: str, *, multi: bool = False, everything: bool = False) -> Variable:
    """A variable whose values are the only column of a rendered query."""
    query: dict[str, object] = {"rawSql": sql, "format": TABLE, "queryType": "table", "editorType": "sql"}
    query |= {"refId": f"Variable-{name}"}
    variable = build.QueryVariable(name).label(label).query(query).datasource(CLICKHOUSE)
    variable = variable.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED).multi(multi)
    variable = variable.sort(model.VariableSort.DISABLED).allow_custom_value(True)
    if everything:
        chosen = model.VariableOption(text=["All"], value=["$__all"])
        return variable.include_all(True).current(chosen)
    return variable


def from_labels(name: str, label: str, promql: str) -> Variable:
    """A variable of a label's values in VictoriaMetrics; all of them at first."""
    source = model.DataSourceRef("prometheus", "${metrics}")
    query: dict[str, object] = {"query": promql, "refId": f"Variable-{name}"}
    variable = build.QueryVariable(name).label(label).query(query).datasource(source)
    chosen = model.VariableOption(text=["All"], value=["$__all"])
    return variable.multi(True).include_all(True).all_value(".*").current(chosen)


def choice(name: str, label: str, values: Mapping[str, str]) -> Variable:
    """A variable with fixed values, ``text: value``; the first is chosen."""
    text, value = next(iter(values.items()))
    listed = ",".join(f"{shown} : {meant}" for shown, meant in values.items())
    return build.CustomVariable(name).label(label).values(listed).current(model.VariableOption(text=text, value=value))


def typed(name: str, label: str, value: str) -> Variable:
    """A variable that one types in."""
    chosen = model.VariableOption(text=value, value=value)
    return build.TextBoxVariable(name).label(label).default_value(value).current(chosen)


def run_variable() -> Variable:
    """The run that is looked at; the newest at first."""
    return from_query("run", "Run", rendering.options("runs", "run_id", limit="500"))


def head() -> AnyPanel:
    """The first row: the run's state, what cannot be shown, and a link that sets its time range."""
    columns = ["run_id", "state", "audit", "notes", "workload_name", "driver_name", "started_time", "from_ms", "to_ms"]
    span = ("from_ms", "to_ms")
    shown = {
        "run_id": [links.row_link(links.RUN, "The whole run", {"run": "run_id"}, span)],
        "audit": [links.row_link(links.AUDIT, "What the audit found", {"run": "run_id"}, span)],
    }
    about = "The state of the run. Click its id to see all of it. Notes state what these pages cannot show, and why."
    return grid("Run $run", about, sql_table(rendering.rows("run_state", columns)), links=shown, hidden=span, height=4)


def unfolded(panels: Iterable[Any]) -> Iterator[Any]:
    """The panels and rows, and after a folded row the panels in it."""
    for each in panels:
        yield each
        if isinstance(each, model.RowPanel):
            yield from each.panels or []


def source_of(panel: model.Panel) -> model.DataSourceRef:
    """The one data source of all targets of a panel."""
    (source,) = {(CLICKHOUSE if isinstance(each, ClickHouseQuery) else METRICS) for each in panel.targets or []}
    return source


def assemble(
    uid: str,
    about: str,
    sections: Sequence[Section],
    *,
    variables: Sequence[Variable] = (),
    to: Sequence[str] = (),
    marks: Sequence[MarksBuilder] = (),
    of_run: bool = True,
    annotated: bool = True,
    refresh: str = "",
    tag: str = "run",
) -> dict[str, Any]:
    """The dashboard as JSON. ``to``: the dashboards one goes to from here, in this order.

    ``annotated``: whether what happened in the run is marked, which needs a time axis that is the run's own.
    ``refresh``: how often it asks anew, as Grafana writes it; empty for never.
    """
    page = build.Dashboard(links.TITLES[uid]).uid(uid).description(about).tags([TAG, tag]).readonly()
    page = page.time("now-1h", "now").refresh(refresh).timezone("utc").tooltip(model.DashboardCursorSync.CROSSHAIR)
    own = [run_variable()] if of_run else []
    page = page.variables([*source_variables(), *own, *variables])
    page = page.links([links.board_link(other) for other in to])
    if of_run:
        page = page.annotations([*(marks_of_run() if annotated else []), *marks]).with_panel(head())
    for section in sections:
        row = build.Row(section.title)
        if section.folded:
            for panel in section.panels:
                row = row.with_panel(panel)
            page = page.with_row(row)
            continue
        page = page.with_row(row.repeat(section.repeat) if section.repeat else row)
        for panel in section.panels:
            page = page.with_panel(panel)
    built = page.build()
    for number, each in enumerate(unfolded(built.panels or []), start=1):
        each.id_val = number
        if isinstance(each, model.Panel):
            # Grafana asks the panel's data source, whatever its targets say.
            each.datasource = source_of(each)
    return built.to_json()
