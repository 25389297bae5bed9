# SPDX-License-Identifier: Apache-2.0
"""What each column of a table takes on disk, merged to one part per day."""

from dataclasses import dataclass

from clickhouse_connect.driver.client import Client


@dataclass(frozen=True)
class Column:
    """``codec`` empty is the engine's default; bytes are compressed ones, marks included."""

    name: str
    type: str
    codec: str
    bytes: int


@dataclass(frozen=True)
class Stored:
    """A table on disk. ``bytes`` is all of it: columns, their marks, indexes, checksums."""

    table: str
    order: str
    rows: int
    bytes: int
    columns: tuple[Column, ...]

    @property
    def per_row(self) -> float:
        return self.bytes / self.rows if self.rows else 0.0

    def lines(self, per: int) -> list[str]:
        """A table for people, bytes divided by ``per`` rows."""
        rest = self.bytes - sum(column.bytes for column in self.columns)
        named = [(c.name, c.type, c.codec.removeprefix("CODEC") or "default", c.bytes) for c in self.columns]
        shown = [*named, ("(indexes, checksums)", "", "", rest), ("sum", "", "", self.bytes)]
        return [f"  ORDER BY ({self.order})", *(f"  {n:20} {t:24} {k:24} {b / per:8.4f}" for n, t, k, b in shown)]


def merge(client: Client, table: str) -> None:
    """Merges the table's parts to one per day."""
    client.command(f"OPTIMIZE TABLE {table} FINAL")


def stored(client: Client, table: str) -> Stored:
    """Read what the engine reports about the active parts of ``table``."""
    of = {"table": table}
    columns = client.query(
        "SELECT c.name, any(c.type), any(c.compression_codec),"
        " toInt64(sum(p.column_data_compressed_bytes + p.column_marks_bytes))"
        " FROM system.columns AS c INNER JOIN system.parts_columns AS p"
        " ON p.database = c.database AND p.table = c.table AND p.column = c.name"
        " WHERE c.database = currentDatabase() AND c.table = {table:String} AND p.active"
        " GROUP BY c.name ORDER BY any(c.position)",
        parameters=of,
    ).result_rows
    rows, size, order = client.query(
        "SELECT toInt64(sum(rows)), toInt64(sum(bytes_on_disk)), (SELECT any(sorting_key) FROM system.tables"
        " WHERE database = currentDatabase() AND name = {table:String})"
        " FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active",
        parameters=of,
    ).result_rows[0]
    return Stored(table, order, rows, size, tuple(Column(*column) for column in columns))
