# SPDX-License-Identifier: Apache-2.0
"""Builds the report: reads the run, renders the page and writes the file."""

from pathlib import Path

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from tailrace import warehouse
from tailrace.errors import BadInput
from tailrace.lookup import resolve
from tailrace.queries.ask import Ask, Row, RunReader
from tailrace.report.data import read
from tailrace.report.page import write
from tailrace.stack.api import StackPaths

# There is no page without the rows of these queries.
NEEDED = ("run_manifest", "run_summary_rollup", "phases")


def build(run_id: str, out: Path | None = None) -> Path:
    """Write the report of the run and return its path.

    ``out`` defaults to ``runs/<run_id>/report.html`` in the state folder; ``last`` names the run
    that started last. Raises BadInput for an unknown run or a file that cannot be written.
    """
    paths = StackPaths.load()
    client = warehouse.connect()
    reader = RunReader(client, resolve(client, run_id))
    unread: list[str] = []
    ask = tolerant(reader, unread)
    data = read(ask)
    target = out or paths.runs / reader.run_id / "report.html"
    if out is None:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise BadInput(f"{target.parent}: {err.strerror}; give a file with --out") from err
    write(target, data, reader, ask, unread)
    return target


def tolerant(reader: RunReader, unread: list[str]) -> Ask:
    """The reader's ``ask``, for a warehouse whose schema may be older than this program: a query that
    fails there has no rows, and its error is added to ``unread``."""

    def ask(name: str, /, **params: object) -> list[Row]:
        try:
            return reader.ask(name, **params)
        except DatabaseError as err:
            older = _older_schema(reader.client)
            if not older or name in NEEDED:
                raise
            unread.append(f"{name}: {warehouse.first_line(err)[:160]} ({older})")
            return []

    return ask


def _older_schema(client: Client) -> str:
    version, known = warehouse.schema_version(client), warehouse.newest_schema()
    if version >= known:
        return ""
    return f"the warehouse's schema has version {version}, this program needs {known}"
