# SPDX-License-Identifier: Apache-2.0
"""Pinned runs: TTLs do not apply to them."""

from clickhouse_connect.driver.client import Client

from tailrace.archive import retention
from tailrace.archive.tables import PINS
from tailrace.warehouse import select


def pinned(client: Client) -> list[str]:
    """Ids of the pinned runs, in order."""
    return [str(row[0]) for row in select(client, "SELECT run_id FROM v_run_pins ORDER BY run_id")]


def pin(client: Client, run_id: str, note: str = "") -> None:
    """Keep the run: no TTL deletes it from now on, and deleting it requires force."""
    _write(client, run_id, True, note)
    retention.spare(client, pinned(client))


def unpin(client: Client, run_id: str) -> None:
    """Let TTLs apply to the run again. Rewrites the run's days in tables that have a TTL."""
    _write(client, run_id, False, "")
    retention.spare(client, pinned(client))
    retention.apply_again(client, run_id)


def _write(client: Client, run_id: str, keep: bool, note: str) -> None:
    client.command(
        f"INSERT INTO {PINS} SELECT {{run_id:String}}, {{keep:UInt8}}, {{note:String}},"
        # Newer than the version that it replaces, even if a clock was set back.
        f" greatest(now64(6, 'UTC'), (SELECT max(updated_time) FROM {PINS}"
        "   WHERE run_id = {run_id:String}) + toIntervalMicrosecond(1))",
        parameters={"run_id": run_id, "keep": int(keep), "note": note},
    )
