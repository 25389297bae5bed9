# SPDX-License-Identifier: Apache-2.0
"""What each Grafana dashboard asks of the warehouse when it is opened on the whole run, with its choices as they are.

The macros that the data source's plugin replaces are replaced here by what it makes of them. That the plugin's own
answers are right is what ``dashboards/proof`` shows.
"""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from lab.bench.questions.dataset import RUN_ID, START_US
from tailrace.api import REPO_ROOT

# Points of a chart as wide as a screen.
POINTS = 1_500
# What a panel of a folded row may take before it is abandoned; panels in view are always awaited.
FOLDED_S = 30
CHOICES = {"run": RUN_ID, "runs": RUN_ID, "baseline": RUN_ID, "topic": "all", "partition": "all", "broker": "all"}
STAGE = "end_to_end"


@dataclass(frozen=True)
class Panel:
    """One query of a panel. ``folded``: asked only when its row is opened."""

    title: str
    sql: str
    folded: bool


def boards() -> Iterator[tuple[str, list[Panel]]]:
    """Name and panels of each dashboard that asks the warehouse."""
    for path in sorted((REPO_ROOT / "dashboards" / "json").glob("*/*.json")):
        panels = list(_panels(json.loads(path.read_text())["panels"], False))
        if panels:
            yield path.stem.removeprefix("tailrace-"), panels


def _panels(nodes: list[dict[str, Any]], folded: bool) -> Iterator[Panel]:
    for node in nodes:
        for target in node.get("targets", []):
            if "rawSql" in target:
                yield Panel(str(node.get("title", "")), target["rawSql"], folded)
        yield from _panels(node.get("panels", []), bool(node.get("collapsed", False)))


def filled(sql: str, seconds: int) -> str:
    """As the plugin sends it, for the whole run of that many seconds."""
    first = START_US // 1_000_000
    begin, end = f"toDateTime({first}, 'UTC')", f"toDateTime({first + seconds}, 'UTC')"
    step = max(1, -(-seconds // POINTS))
    for name, value in (*CHOICES.items(), ("stage", STAGE)):
        sql = sql.replace(f"${{{name}:singlequote}}", f"'{value}'")
    sql = re.sub(r"\$__timeFilter\(([^)]*)\)", rf"\1 >= {begin} AND \1 <= {end}", sql)
    sql = re.sub(r"\$__timeInterval\(([^)]*)\)", rf"toStartOfInterval(\1, INTERVAL {step} second)", sql)
    for macro, value in (("$__fromTime", begin), ("$__toTime", end), ("$__interval_s", str(step))):
        sql = sql.replace(macro, value)
    if "$__" in sql or "${" in sql:
        raise SystemExit(f"{re.findall(r'[$][_{][^ ,)]*', sql)}: no value for this macro")
    return sql


def ask_all(client: Client, seconds: int) -> tuple[str, float]:
    """Wall seconds of each dashboard, on the screen; name and seconds of the slowest panel in view."""
    slowest = ("", 0.0)
    for name, panels in boards():
        total = 0.0
        for panel in panels:
            sql = filled(panel.sql, seconds)
            wall = min(_wall(client, sql, panel.folded) for _ in range(1 if panel.folded else 2))
            took = f"over {FOLDED_S} s, abandoned" if wall == float("inf") else f"{wall:.2f} s"
            if panel.folded:
                print(f"  {name}: folded: {panel.title}: {took}")
                continue
            total += wall
            slowest = max(slowest, (f"{name}: {panel.title}", wall), key=lambda each: each[1])
            if wall > 0.5:
                print(f"  {name}: {panel.title}: {took}")
        print(f"  {name}: {total:.2f} s for all that is not folded, one after another", flush=True)
    return slowest


def _wall(client: Client, sql: str, folded: bool) -> float:
    settings = {"max_execution_time": FOLDED_S} if folded else {}
    began = time.perf_counter()
    try:
        client.query(sql, settings=settings)
    except DatabaseError as err:
        if not folded or "TIMEOUT_EXCEEDED" not in str(err):
            raise
        return float("inf")
    return time.perf_counter() - began
