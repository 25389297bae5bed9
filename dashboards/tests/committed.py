# SPDX-License-Identifier: Apache-2.0
"""The committed dashboards and alert rules, as what they ask."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from tailrace.api import REPO_ROOT

ROOM = REPO_ROOT / "dashboards"
CLICKHOUSE = "grafana-clickhouse-datasource"


@dataclass(frozen=True)
class Asked:
    """One query, and the panel, annotation, variable or rule that asks it."""

    where: str
    source: dict[str, Any]
    query: dict[str, Any]

    @property
    def sql(self) -> str:
        return str(self.query.get("rawSql", ""))

    @property
    def promql(self) -> str:
        return str(self.query.get("expr") or self.query.get("query") or "")


def pages() -> dict[str, dict[str, Any]]:
    """Path to dashboard."""
    files = sorted((ROOM / "json").rglob("*.json"))
    return {str(f.relative_to(ROOM)): json.loads(f.read_text(encoding="utf-8")) for f in files}


def unfolded(page: dict[str, Any]) -> list[dict[str, Any]]:
    """Panels and rows of a page, and after a folded row the panels in it."""
    return [each for panel in page["panels"] for each in (panel, *panel.get("panels", []))]


def panels() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every panel but rows, with "uid: title"."""
    for page in pages().values():
        for panel in unfolded(page):
            if panel["type"] != "row":
                yield f"{page['uid']}: {panel['title']}", panel


def rules() -> list[dict[str, Any]]:
    """Grafana's alert rules."""
    text = (ROOM / "provisioning" / "alerting" / "tailrace.yaml").read_text(encoding="utf-8")
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def provisioned(name: str) -> dict[str, Any]:
    """A provisioning file."""
    text = (ROOM / "provisioning" / name / "tailrace.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def asked() -> list[Asked]:
    """Every query of every dashboard and alert rule."""
    found = [Asked(where, target["datasource"], target) for where, panel in panels() for target in panel["targets"]]
    for page in pages().values():
        for mark in page["annotations"].get("list", []):
            found.append(Asked(f"{page['uid']}: {mark['name']}", mark["datasource"], mark["target"]))
        for variable in page["templating"]["list"]:
            if variable["type"] == "query":
                where = f"{page['uid']}: ${variable['name']}"
                found.append(Asked(where, variable["datasource"], variable["query"]))
    for rule in rules():
        found.append(Asked(rule["title"], rule["data"][0]["model"]["datasource"], rule["data"][0]["model"]))
    return found
