# SPDX-License-Identifier: Apache-2.0
"""Alert rules that Grafana itself evaluates: on what only the warehouse knows.

What VictoriaMetrics knows is watched by vmalert (dashboards/alerts), with or without a Grafana.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from boards import links, rendering
from boards.board import CLICKHOUSE_UID
from boards.targets import CLICKHOUSE_PLUGIN, PLUGIN_VERSION, TABLE, TIME_SERIES

EXPRESSION = "__expr__"
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Made by dashboards/boards (make dashboards). Alert rules for Grafana, on what only the warehouse knows.
"""


@dataclass(frozen=True)
class Rule:
    """Fires for each series whose reduced value is above ``limit`` for ``lasting``."""

    uid: str
    title: str
    sql: str
    layout: int
    reducer: str
    limit: float
    lasting: str
    severity: str
    summary: str
    board: str
    panel: str


RULES = (
    Rule(
        uid="tailrace-stored-p99",
        title="Publish latency of the newest run",
        sql=rendering.points("newest_run_latency", {"p99": "p99_ms"}, ["run_id"], point_s="5"),
        layout=TIME_SERIES,
        reducer="min",
        limit=100,
        lasting="0s",
        severity="warning",
        summary="p99 publish latency of {{ $labels.run_id }} was never below 100 ms in the last minute",
        board=links.RUN,
        panel="Latency",
    ),
    Rule(
        uid="tailrace-audit-failed",
        title="Audit failed",
        sql=rendering.rows("audits_of_newest_runs", ["run_id", "failures"]),
        layout=TABLE,
        reducer="last",
        limit=0,
        lasting="0s",
        severity="critical",
        summary="The audit of {{ $labels.run_id }} found {{ $values.B }} numbers that are not what they should be",
        board=links.AUDIT,
        panel="Audit",
    ),
)


def provisioned(panels: Mapping[tuple[str, str], int]) -> str:
    """The provisioning file; ``panels``: ids of panels by dashboard and title."""
    group = {
        "orgId": 1,
        "name": "tailrace",
        "folder": "Tailrace",
        "interval": "10s",
        "rules": [_rule(rule, panels[rule.board, rule.panel]) for rule in RULES],
    }
    document = {"apiVersion": 1, "groups": [group]}
    return HEAD + yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=118)


def _rule(rule: Rule, panel: int) -> dict[str, Any]:
    return {
        "uid": rule.uid,
        "title": rule.title,
        "condition": "C",
        "for": rule.lasting,
        "noDataState": "OK",
        "execErrState": "Error",
        "labels": {"severity": rule.severity},
        "annotations": {
            "summary": rule.summary,
            "description": f"See the dashboard {links.TITLES[rule.board]}.",
            "__dashboardUid__": rule.board,
            "__panelId__": str(panel),
        },
        "data": [_asked(rule), _reduced(rule.reducer), _compared(rule.limit)],
    }


def _asked(rule: Rule) -> dict[str, Any]:
    model = {
        "refId": "A",
        "datasource": {"type": CLICKHOUSE_PLUGIN, "uid": CLICKHOUSE_UID},
        "pluginVersion": PLUGIN_VERSION,
        "editorType": "sql",
        "queryType": "timeseries" if rule.layout == TIME_SERIES else "table",
        "format": rule.layout,
        "rawSql": rule.sql,
        "intervalMs": 5000,
        "maxDataPoints": 100,
    }
    span = {"from": 60, "to": 0}
    return {"refId": "A", "relativeTimeRange": span, "datasourceUid": CLICKHOUSE_UID, "model": model}


def _reduced(reducer: str) -> dict[str, Any]:
    model = {"refId": "B", "type": "reduce", "expression": "A", "reducer": reducer}
    return _expression("B", model)


def _compared(limit: float) -> dict[str, Any]:
    evaluator = {"type": "gt", "params": [limit]}
    model = {"refId": "C", "type": "threshold", "expression": "B", "conditions": [{"evaluator": evaluator}]}
    return _expression("C", model)


def _expression(ref_id: str, model: dict[str, Any]) -> dict[str, Any]:
    model = {**model, "datasource": {"type": EXPRESSION, "uid": EXPRESSION}}
    return {"refId": ref_id, "datasourceUid": EXPRESSION, "model": model}


class _Dumper(yaml.SafeDumper):
    """Texts of many lines are written as they are, and lists are indented as yamllint requires."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists stand deeper than their key."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
