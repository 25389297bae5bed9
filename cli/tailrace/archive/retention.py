# SPDX-License-Identifier: Apache-2.0
"""TTLs, and pins: how many days a table keeps rows of runs that are not pinned.

The engine's TTL deletes the rows when it merges parts. Its condition lists the pinned runs, so a pin changes the
table's definition and touches no row.
"""

import re
from collections.abc import Mapping, Sequence

from clickhouse_connect.driver.client import Client

from tailrace.archive.tables import PINS, RunTable, find
from tailrace.queries.catalogue import quote
from tailrace.warehouse import select

_DAYS = re.compile(r"\bTTL .*?\+ toIntervalDay\((\d+)\)")


def days(table: RunTable) -> int | None:
    """The number of days before rows are deleted; None without a TTL."""
    match = _DAYS.search(table.engine)
    return int(match[1]) if match else None


def statements(tables: Sequence[RunTable], wanted: Mapping[str, int | None], pins: Sequence[str]) -> list[str]:
    """The ALTERs that set the TTLs ``wanted``; none for a table that has its TTL already.

    Every start applies the settings, and an ALTER makes the engine check every part again.
    """
    made = []
    for table in tables:
        if table.name in wanted:
            limit = wanted[table.name]
            if limit is not None:
                if _condition(limit, pins) in table.engine:
                    continue
                made.append(_modify(table, limit, pins))
            elif days(table) is not None:
                made.append(f"ALTER TABLE {table.altered} REMOVE TTL")
    return made


def spare(client: Client, pins: Sequence[str]) -> None:
    """List these runs in every TTL. No row is touched."""
    for table in find(client):
        limit = days(table)
        if limit is not None:
            statement = _modify(table, limit, pins)
            client.command(statement, settings={"materialize_ttl_after_modify": 0})


def apply_again(client: Client, run_id: str) -> None:
    """Apply the TTLs again to the parts of the run's days, which they have processed before."""
    for table in find(client):
        if days(table) is None:
            continue
        sql = f"SELECT DISTINCT _partition_id FROM {table.name} WHERE run_id = {{run_id:String}}"
        for (partition_id,) in select(client, sql, run_id=run_id):
            client.command(f"ALTER TABLE {table.altered} MATERIALIZE TTL IN PARTITION ID {quote(partition_id)}")


def _modify(table: RunTable, limit: int, pins: Sequence[str]) -> str:
    return (
        f"ALTER TABLE {table.altered} MODIFY TTL toDateTime({table.time_column}, 'UTC')"
        f"{_condition(limit, pins, ' DELETE')}"
    )


def _condition(limit: int, pins: Sequence[str], delete: str = "") -> str:
    # The list is never empty: to the engine a TTL with and one without a condition are two kinds, and it would not
    # check parts that were written under the other kind.
    spared = ", ".join(quote(run_id) for run_id in pins or [""])
    return f" + toIntervalDay({limit}){delete} WHERE run_id NOT IN ({spared})"


def pinned(client: Client) -> list[str]:
    """Ids of the pinned runs, in order."""
    return [str(row[0]) for row in select(client, "SELECT run_id FROM v_run_pins ORDER BY run_id")]


def pin(client: Client, run_id: str, note: str = "") -> None:
    """Keep the run: no TTL deletes it from now on, and deleting it requires force."""
    _write(client, run_id, True, note)
    spare(client, pinned(client))


def unpin(client: Client, run_id: str) -> None:
    """Let TTLs apply to the run again. Rewrites the run's days in tables that have a TTL."""
    _write(client, run_id, False, "")
    spare(client, pinned(client))
    apply_again(client, run_id)


def _write(client: Client, run_id: str, keep: bool, note: str) -> None:
    client.command(
        f"INSERT INTO {PINS} SELECT {{run_id:String}}, {{keep:UInt8}}, {{note:String}},"
        # Newer than the version that it replaces, even if a clock was set back.
        f" greatest(now64(6, 'UTC'), (SELECT max(updated_time) FROM {PINS}"
        "   WHERE run_id = {run_id:String}) + toIntervalMicrosecond(1))",
        parameters={"run_id": run_id, "keep": int(keep), "note": note},
    )
