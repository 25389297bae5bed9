# SPDX-License-Identifier: Apache-2.0
"""Builds the report: reads the run, renders the page, writes the file."""

from pathlib import Path

from clickhouse_connect.driver.client import Client

from tailrace import warehouse
from tailrace.errors import BadInput
from tailrace.lookup import resolve
from tailrace.queries.catalogue import load
from tailrace.report.assets import Assets
from tailrace.report.data import Ask, Row, read
from tailrace.report.page import render
from tailrace.stack.api import StackPaths


def build(run_id: str, out: Path | None = None) -> Path:
    """Write the report of the run and return its path.

    ``out`` defaults to ``runs/<run_id>/report.html`` in the state folder; ``last`` names the run
    started latest. Raises BadInput for an unknown run or a file that cannot be written.
    """
    paths = StackPaths.load()
    client = warehouse.connect()
    run_id = resolve(client, run_id)
    html = render(read(_asking(client, run_id)), Assets(paths.lib / "uplot"))
    target = out or paths.runs / run_id / "report.html"
    try:
        if out is None:
            target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(html, encoding="utf-8")
    except OSError as err:
        raise BadInput(f"{target}: {err.strerror}; give a writable file with --out") from err
    return target


def _asking(client: Client, run_id: str) -> Ask:
    def ask(name: str) -> list[Row]:
        question = load(name)
        result = client.query(question.text, parameters=question.fill({"run_id": run_id}))
        return [dict(row) for row in result.named_results()]

    return ask
