# SPDX-License-Identifier: Apache-2.0
"""TTLs: how many days a table keeps rows that belong to no pinned run.

The engine's own TTL does the work, in its merges. Its condition names the pinned runs, so a pin is
a change of the table's definition and touches no row.
"""

import re
from collections.abc import Mapping, Sequence

from clickhouse_connect.driver.client import Client

from tailrace.archive.tables import RunTable, find
from tailrace.queries.catalogue import quote

_DAYS = re.compile(r"\bTTL .*?\+ toIntervalDay\((\d+)\)")


def days(table: RunTable) -> int | None:
    """After how many days rows go; None when they stay."""
    match = _DAYS.search(table.engine)
    return int(match[1]) if match else None


def statements(tables: Sequence[RunTable], wanted: Mapping[str, int | None], pins: Sequence[str]) -> list[str]:
    """The ALTERs that bring the tables to what is wanted; none for a table that is there already.

    An ALTER lets the engine look at every part again, and a setting is applied at every start.
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
    """Name these runs in every TTL. No row is touched."""
    for table in find(client):
        limit = days(table)
        if limit is not None:
            statement = _modify(table, limit, pins)
            client.command(statement, settings={"materialize_ttl_after_modify": 0})


def apply_again(client: Client, run_id: str) -> None:
    """Let the TTLs look again at parts they are done with, in the days the run lies in."""
    for table in find(client):
        if days(table) is None:
            continue
        ids = client.query(
            f"SELECT DISTINCT _partition_id FROM {table.name} WHERE run_id = {{run_id:String}}",
            parameters={"run_id": run_id},
        ).result_rows
        for (partition_id,) in ids:
            client.command(f"ALTER TABLE {table.altered} MATERIALIZE TTL IN PARTITION ID {quote(partition_id)}")


def _modify(table: RunTable, limit: int, pins: Sequence[str]) -> str:
    return (
        f"ALTER TABLE {table.altered} MODIFY TTL toDateTime({table.time_column}, 'UTC')"
        f"{_condition(limit, pins, ' DELETE')}"
    )


def _condition(limit: int, pins: Sequence[str], delete: str = "") -> str:
    # Never an empty list: with and without a condition are two kinds of TTL to the engine, and
    # parts written under the one would not be looked at under the other.
    spared = ", ".join(quote(run_id) for run_id in pins or [""])
    return f" + toIntervalDay({limit}){delete} WHERE run_id NOT IN ({spared})"
