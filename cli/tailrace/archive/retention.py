# SPDX-License-Identifier: Apache-2.0
"""TTLs: how many days a table keeps rows that belong to no pinned run.

The engine's own TTL does the work, in its merges. Its condition names the pinned runs, so a pin is
a change of the table's definition and touches no row.
"""

import re
from collections.abc import Mapping, Sequence

from clickhouse_connect.driver.client import Client

from tailrace.archive.tables import RunTable, find
from tailrace.errors import BadInput
from tailrace.nearest import nearest
from tailrace.queries.catalogue import quote

_DAYS = re.compile(r"\bTTL .*?\+ toIntervalDay\((\d+)\)")
MOST_DAYS = 36_500


def days(table: RunTable) -> int | None:
    """After how many days rows go; None when they stay."""
    match = _DAYS.search(table.engine)
    return int(match[1]) if match else None


def parse(settings: Sequence[str], tables: Sequence[RunTable]) -> dict[str, int | None]:
    """``TABLE=30d`` or ``TABLE=none`` for each table named. Raises BadInput."""
    known = [table.name for table in tables if table.time_column]
    wanted: dict[str, int | None] = {}
    for text in settings:
        name, _, value = text.partition("=")
        if name not in known:
            close = ", ".join(nearest(name, known) or known)
            raise BadInput(f"{text}: no table '{name}' that a TTL can be set for; nearest: {close}")
        if value == "none":
            wanted[name] = None
            continue
        match = re.fullmatch(r"([1-9]\d{0,4})d", value)
        if match is None or int(match[1]) > MOST_DAYS:
            raise BadInput(f"{text}: '{value}' is no TTL; write {name}=30d or {name}=none")
        wanted[name] = int(match[1])
    return wanted


def statements(
    tables: Sequence[RunTable], wanted: Mapping[str, int | None], pins: Sequence[str]
) -> list[str]:
    """The ALTERs that bring the tables to what is wanted."""
    made = []
    for table in tables:
        if table.name in wanted:
            limit = wanted[table.name]
            if limit is not None:
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
            client.command(
                f"ALTER TABLE {table.altered} MATERIALIZE TTL IN PARTITION ID {quote(partition_id)}"
            )


def _modify(table: RunTable, limit: int, pins: Sequence[str]) -> str:
    # Never an empty list: with and without a condition are two kinds of TTL to the engine, and
    # parts written under the one would not be looked at under the other.
    spared = ", ".join(quote(run_id) for run_id in pins or [""])
    return (
        f"ALTER TABLE {table.altered} MODIFY TTL toDateTime({table.time_column}, 'UTC')"
        f" + toIntervalDay({limit}) DELETE WHERE run_id NOT IN ({spared})"
    )
