# SPDX-License-Identifier: Apache-2.0
"""Runs that were imported without their messages, so that only their rollups can be read."""

from clickhouse_connect.driver.client import Client

from tailrace.warehouse import select

KIND = "import"
NAME = "without_messages"
# The tables that such an export leaves out: by far the largest.
MESSAGES = ("publishes", "deliveries")


def mark(client: Client, run_id: str) -> None:
    """Store an event that marks the run, at the time of its last event."""
    client.command(
        "INSERT INTO run_events (run_id, worker, time, kind, name, detail)"
        " SELECT run_id, 0, max(time), {kind:String}, {name:String}, ''"
        " FROM run_events WHERE run_id = {run_id:String} GROUP BY run_id",
        parameters={"run_id": run_id, "kind": KIND, "name": NAME},
    )


def without_messages(client: Client, run_id: str) -> bool:
    """Whether the run was imported from an export that left them out."""
    marks = (
        "SELECT count() FROM v_run_events"
        " WHERE run_id = {run_id:String} AND kind = {kind:String} AND name = {name:String}"
    )
    return bool(select(client, marks, run_id=run_id, kind=KIND, name=NAME)[0][0])
