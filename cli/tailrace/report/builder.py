# SPDX-License-Identifier: Apache-2.0
"""Builds the report: reads the run, renders the page, writes the file."""

from pathlib import Path

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from tailrace import warehouse
from tailrace.errors import BadInput
from tailrace.explain.reading import Asker
from tailrace.lookup import resolve
from tailrace.page import frame
from tailrace.page.assets import Assets
from tailrace.report.data import Ask, Row, read
from tailrace.report.page import render
from tailrace.report.parts import read_parts
from tailrace.stack.api import StackPaths

# Without these there is no page.
NEEDED = ("run_manifest", "run_summary_rollup", "phases")


def build(run_id: str, out: Path | None = None) -> Path:
    """Write the report of the run and return its path.

    ``out`` defaults to ``runs/<run_id>/report.html`` in the state folder; ``last`` names the run
    started latest. Raises BadInput for an unknown run or a file that cannot be written.
    """
    paths = StackPaths.load()
    client = warehouse.connect()
    asker = Asker(client, resolve(client, run_id))
    unread: list[str] = []
    ask = asking(asker, unread)
    data = read(ask)
    html = render(data, read_parts(data, asker, ask, unread), Assets(paths.lib / "uplot"))
    target = out or paths.runs / asker.run_id / "report.html"
    if out is None:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise BadInput(f"{target.parent}: {err.strerror}; give a file with --out") from err
    frame.write(html, target, "--out")
    return target


def asking(asker: Asker, unread: list[str]) -> Ask:
    """Answers for the run. In a warehouse that is behind this program's schema a question that it
    does not understand has no rows, and its sentence is added to ``unread``."""

    def ask(name: str, /, **params: object) -> list[Row]:
        try:
            return asker.ask(name, **params)
        except DatabaseError as err:
            behind = _behind(asker.client)
            if not behind or name in NEEDED:
                raise
            unread.append(f"{name}: {warehouse.first_line(err)[:160]} ({behind})")
            return []

    return ask


def _behind(client: Client) -> str:
    version, known = warehouse.schema_version(client), warehouse.newest_schema()
    if version >= known:
        return ""
    return f"the warehouse's schema has version {version}, this program wants {known}"
