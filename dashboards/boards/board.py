# SPDX-License-Identifier: Apache-2.0
"""A dashboard from its page: variables, the run's own row, annotations, links, the layout."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import dashboard as model

from boards import links, rendering
from boards.pages import FOLDERS, PAGES
from boards.panels import AnyPanel, grid, panel
from boards.targets import CLICKHOUSE, CLICKHOUSE_PLUGIN, METRICS, TABLE, ClickHouseQuery, Target, sql

CLICKHOUSE_UID, METRICS_UID = "tailrace-clickhouse", "tailrace-victoriametrics"
TAG = "tailrace"
Variable = Builder[model.VariableModel]
MARKS = {
    "phase": ("Phases", "blue"),
    "alert": ("Alerts", "red"),
    "mark": ("Marked by hand", "purple"),
    "event": ("Events", "orange"),
}
_ALL = model.VariableOption(text=["All"], value=["$__all"])


class Marks(model.AnnotationQuery):
    """An annotation whose target is a query of ClickHouse; the SDK has no model for it."""

    query: ClickHouseQuery

    def to_json(self) -> dict[str, object]:
        """Grafana finds time, timeEnd, title, text and tags by the columns' names."""
        return {**super().to_json(), "target": self.query}


class MarksBuilder(Builder[model.AnnotationQuery]):
    """Annotations that a rendered query makes."""

    def __init__(self, title: str, color: str, asked: Mapping[str, Any]) -> None:
        self.marks = Marks(name=title, datasource=CLICKHOUSE, enable=True, icon_color=color)
        self.marks.query = sql(asked, "Anno")

    def build(self) -> model.AnnotationQuery:
        """The model."""
        return self.marks


def marks_of_run() -> list[MarksBuilder]:
    """Phases, alerts, what people marked, and other events."""
    asked = {"query": "run_marks", "columns": ["time", "timeEnd", "title", "text", "tags"]}
    return [MarksBuilder(title, color, {"rows": {**asked, "kind": kind}}) for kind, (title, color) in MARKS.items()]


def source_variables() -> list[Variable]:
    """Which data sources; the provisioned ones unless someone chooses others."""
    chosen = model.VariableOption(text="Tailrace ClickHouse", value=CLICKHOUSE_UID)
    other = model.VariableOption(text="Tailrace VictoriaMetrics", value=METRICS_UID)
    clickhouse = build.DatasourceVariable("clickhouse").label("ClickHouse").type(CLICKHOUSE_PLUGIN)
    metrics = build.DatasourceVariable("metrics").label("Metrics").type("prometheus")
    hide = model.VariableHide.HIDE_VARIABLE
    return [clickhouse.current(chosen).hide(hide), metrics.current(other).hide(hide)]


def variable(entry: Mapping[str, Any]) -> Variable:
    """The variable of a page's entry: a ``choice`` of values, ``typed``, or ``name`` with the query of its values."""
    label = entry["label"]
    if "choice" in entry:
        text, value = next(iter(entry["values"].items()))
        listed = ",".join(f"{shown} : {meant}" for shown, meant in entry["values"].items())
        chosen = model.VariableOption(text=text, value=value)
        return build.CustomVariable(entry["choice"]).label(label).values(listed).current(chosen)
    if "typed" in entry:
        chosen = model.VariableOption(text=entry["value"], value=entry["value"])
        return build.TextBoxVariable(entry["typed"]).label(label).default_value(entry["value"]).current(chosen)
    if "promql" in entry:
        return from_labels(entry["name"], label, entry["promql"])
    return from_query(**entry)


def from_query(
    name: str, label: str, options: Mapping[str, Any], *, multi: bool = False, everything: bool = False
) -> Variable:
    """A variable whose values are the only column of a rendered query."""
    asked = rendering.statement("options", options)
    query: dict[str, object] = {"rawSql": asked, "format": TABLE, "queryType": "table", "editorType": "sql"}
    query |= {"refId": f"Variable-{name}"}
    made = build.QueryVariable(name).label(label).query(query).datasource(CLICKHOUSE)
    made = made.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED).multi(multi)
    made = made.sort(model.VariableSort.DISABLED).allow_custom_value(True)
    return made.include_all(True).current(_ALL) if everything else made


def from_labels(name: str, label: str, promql: str) -> Variable:
    """A variable of a label's values in VictoriaMetrics; all of them at first."""
    query: dict[str, object] = {"query": promql, "refId": f"Variable-{name}"}
    made = build.QueryVariable(name).label(label).query(query).datasource(METRICS)
    return made.multi(True).include_all(True).all_value(".*").current(_ALL)


def head() -> AnyPanel:
    """The first row: the run's state, what cannot be shown, and a link that sets its time range."""
    columns = ["run_id", "state", "audit", "notes", "workload_name", "driver_name", "started_time", "from_ms", "to_ms"]
    span = ("from_ms", "to_ms")
    shown = {
        "run_id": links.row_link("run", "The whole run", {"run": "run_id"}, span),
        "audit": links.row_link("audit", "What the audit found", {"run": "run_id"}, span),
    }
    about = "The state of the run. Click its id to see all of it. Notes state what these pages cannot show, and why."
    state = Target(sql({"rows": {"query": "run_state", "columns": columns}}))
    return grid("Run $run", about, state, links=shown, hidden=span, height=4)


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


def assemble(uid: str) -> dict[str, Any]:
    """The dashboard as JSON, as its page in ``pages/`` has it."""
    entry = PAGES[uid]
    tag = FOLDERS[uid].removesuffix("s")
    page = build.Dashboard(entry["title"]).uid(uid).description(entry["about"]).tags([TAG, tag]).readonly()
    page = page.time("now-1h", "now").refresh(entry.get("refresh", "")).timezone("utc")
    page = page.tooltip(model.DashboardCursorSync.CROSSHAIR)
    run = {"name": "run", "label": "Run", "options": {"query": "runs", "column": "run_id", "limit": 500}}
    page = page.variables([*source_variables(), *map(variable, [run, *entry.get("variables", [])])])
    page = page.links([links.board_link(other) for other in entry["to"]])
    marks = [MarksBuilder(each["title"], each["color"], each) for each in entry.get("marks", [])]
    page = page.annotations([*(marks_of_run() if entry.get("annotated", True) else []), *marks]).with_panel(head())
    for section in entry["sections"]:
        page = _with_section(page, **section)
    built = page.build()
    for number, each in enumerate(unfolded(built.panels or []), start=1):
        each.id_val = number
        if isinstance(each, model.Panel):
            # Grafana queries the panel's data source and ignores those of its targets.
            each.datasource = source_of(each)
    return built.to_json()


def _with_section(
    page: build.Dashboard,
    title: str,
    panels: Sequence[Mapping[str, Any]],
    graphs: Mapping[str, Any] | None = None,
    repeat: str = "",
    folded: bool = False,
) -> build.Dashboard:
    """``graphs``: options of the section's graphs, where they have no other."""
    row = build.Row(title)
    made = [panel({**(graphs or {}), **entry} if "graph" in entry else entry) for entry in panels]
    if folded:
        for each in made:
            row = row.with_panel(each)
        return page.with_row(row)
    page = page.with_row(row.repeat(repeat) if repeat else row)
    for each in made:
        page = page.with_panel(each)
    return page
