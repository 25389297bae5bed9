# SPDX-License-Identifier: Apache-2.0
"""The tables that hold rows of runs, found by their ``run_id`` column."""

import re
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from tailrace.warehouse import select

PINS = "run_pins"
# Tables an import fills before their rows become the run's.
STAGING = "import_"
_DISTRIBUTED = re.compile(r"^Distributed\('([^']+)', [^,]+, '([^']+)'")


@dataclass(frozen=True)
class RunTable:
    """``columns``: the stored ones as (name, type), in order; ``engine``: its full definition."""

    name: str
    engine: str
    columns: tuple[tuple[str, str], ...]

    @property
    def time_column(self) -> str | None:
        """The column with the time that a row describes; a table without one is small."""
        names = [name for name, _ in self.columns]
        return next((name for name in ("intended_time", "end_time", "time") if name in names), None)

    @property
    def distributed(self) -> bool:
        return self.engine.startswith("Distributed")

    @property
    def altered(self) -> str:
        """The table in ALTER TABLE: on a cluster, the shards' local tables."""
        match = _DISTRIBUTED.match(self.engine)
        return f"{match[2]} ON CLUSTER '{match[1]}'" if match else self.name

    @property
    def source(self) -> str:
        """The table in SELECT: its rows as if all parts were merged."""
        merged = ("Replacing", "Aggregating", "ReplicatedReplacing", "ReplicatedAggregating")
        return f"{self.name} FINAL" if self.engine.startswith(merged) else self.name


def find(client: Client) -> list[RunTable]:
    """All tables of runs, by name, without views, pins and an import's staging tables."""
    rows = select(
        client,
        "SELECT c.table, any(t.engine_full), groupArray((c.name, c.type))"
        " FROM (SELECT * FROM system.columns WHERE database = currentDatabase()"
        "       AND default_kind NOT IN ('ALIAS', 'MATERIALIZED') ORDER BY table, position) AS c"
        " JOIN system.tables AS t ON t.database = currentDatabase() AND t.name = c.table"
        " WHERE t.engine LIKE '%MergeTree' OR t.engine = 'Distributed'"
        " GROUP BY c.table ORDER BY c.table",
    )
    tables = [RunTable(name, engine, tuple(map(tuple, columns))) for name, engine, columns in rows]
    spread = {t.altered.partition(" ")[0] for t in tables if t.distributed}
    return [
        table
        for table in tables
        if any(name == "run_id" for name, _ in table.columns)
        and table.name != PINS
        and not table.name.startswith(STAGING)
        and table.name not in spread
    ]


def rows_of(client: Client, table: RunTable, run_id: str) -> int:
    """Number of the run's rows in the table."""
    sql = f"SELECT count() FROM {table.source} WHERE run_id = {{run_id:String}}"
    return int(select(client, sql, run_id=run_id)[0][0])
