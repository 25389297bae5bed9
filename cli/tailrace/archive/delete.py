# SPDX-License-Identifier: Apache-2.0
"""Removes a run from every table."""

from collections.abc import Callable

from clickhouse_connect.driver.client import Client

from tailrace.archive.retention import pinned, unpin
from tailrace.archive.tables import RunTable, find, rows_of
from tailrace.errors import BadInput
from tailrace.lookup import LAST, resolve
from tailrace.queries.catalogue import quote
from tailrace.warehouse import select

# The run's row is deleted last: while it exists, the remaining rows can be found and deleted.
LAST_TABLE = "runs"


def delete(client: Client, wanted: str, force: bool, say: Callable[[str], None]) -> tuple[str, int]:
    """Delete the run; returns its id and the number of rows. Raises BadInput for a pinned or running one.

    Tables are partitioned by day and a day holds many runs, so rows are deleted by rewriting the
    parts that hold them, and only those. Returns when that is done.
    """
    run_id = resolve(client, wanted) if wanted == LAST else wanted
    held = [(table, rows) for table in find(client) if (rows := rows_of(client, table, run_id))]
    if not held:
        resolve(client, run_id)  # names the nearest run
    if not force:
        _refuse(client, run_id)
    total = 0
    for table, rows in sorted(held, key=lambda each: each[0].name == LAST_TABLE):
        _remove(client, table, run_id)
        say(f"{table.name}: {rows:,} rows deleted")
        total += rows
    if run_id in pinned(client):
        unpin(client, run_id)
    return run_id, total


def _refuse(client: Client, run_id: str) -> None:
    if run_id in pinned(client):
        raise BadInput(f"run {run_id} is pinned; tailrace runs unpin {run_id}, or --force")
    states = select(client, "SELECT state FROM v_runs WHERE run_id = {run_id:String}", run_id=run_id)
    if states and states[0][0] == "running":
        raise BadInput(f"run {run_id} is running; wait for its end, or --force")


def _remove(client: Client, table: RunTable, run_id: str) -> None:
    client.command(f"ALTER TABLE {table.altered} DELETE WHERE run_id = {quote(run_id)}", settings={"mutations_sync": 2})
