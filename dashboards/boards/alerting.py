# SPDX-License-Identifier: Apache-2.0
"""Alert rules that Grafana itself evaluates: on what only the warehouse knows.

What VictoriaMetrics knows is watched by vmalert (dashboards/alerts), with or without a Grafana.
"""

from collections.abc import Mapping
from typing import Any

import yaml

from boards.board import CLICKHOUSE_UID
from boards.pages import PAGES, ROOM, read
from boards.targets import CLICKHOUSE_PLUGIN, sql

EXPRESSION = "__expr__"
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Made by dashboards/boards (make dashboards). Alert rules for Grafana, on what only the warehouse knows.
"""


def provisioned(panels: Mapping[tuple[str, str], int]) -> str:
    """The provisioning file; ``panels``: ids of panels by dashboard and title."""
    rules = read(ROOM / "pages" / "alert-rules.yaml")
    group = {
        "orgId": 1,
        "name": "tailrace",
        "folder": "Tailrace",
        "interval": "10s",
        "rules": [_rule(each, panels[each["board"], each["panel"]]) for each in rules],
    }
    document = {"apiVersion": 1, "groups": [group]}
    return HEAD + yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=118)


def _rule(rule: dict[str, Any], panel: int) -> dict[str, Any]:
    data = [
        _asked(rule),
        _expression("B", type="reduce", expression="A", reducer=rule["reducer"]),
        _expression(
            "C",
            type="threshold",
            expression="B",
            conditions=[{"evaluator": {"type": "gt", "params": [rule["limit"]]}}],
        ),
    ]
    return {
        "uid": rule["uid"],
        "title": rule["title"],
        "condition": "C",
        "for": "0s",
        "noDataState": "OK",
        "execErrState": "Error",
        "labels": {"severity": rule["severity"]},
        "annotations": {
            "summary": rule["summary"],
            "description": f"See the dashboard {PAGES[rule['board']]['title']}.",
            "__dashboardUid__": rule["board"],
            "__panelId__": str(panel),
        },
        "data": data,
    }


def _asked(rule: dict[str, Any]) -> dict[str, Any]:
    model = sql(rule).to_json() | {"datasource": {"type": CLICKHOUSE_PLUGIN, "uid": CLICKHOUSE_UID}}
    model |= {"intervalMs": 5000, "maxDataPoints": 100}
    span = {"from": 60, "to": 0}
    return {"refId": "A", "relativeTimeRange": span, "datasourceUid": CLICKHOUSE_UID, "model": model}


def _expression(ref_id: str, **model: Any) -> dict[str, Any]:
    model = {"refId": ref_id, **model, "datasource": {"type": EXPRESSION, "uid": EXPRESSION}}
    return {"refId": ref_id, "datasourceUid": EXPRESSION, "model": model}


class _Dumper(yaml.SafeDumper):
    """Texts of many lines are written as they are, and lists are indented as yamllint requires."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists stand deeper than their key."""
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
