# SPDX-License-Identifier: Apache-2.0
"""What the benchmark reads from the warehouse: rows, parts, merges, bytes on disk."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

_POLL_S = 1.0
_QUIET_S = 3
# Seconds of CPU in a second; an idle engine needs about 0.01, a merge that gets a tenth of a core ten times that.
_AT_REST = 0.03


@dataclass(frozen=True)
class Tables:
    """Table names carry their database: ``default.publishes``."""

    client: Client

    def number(self, sql: str) -> int:
        """The single number that ``sql`` returns."""
        return int(self.client.query(sql).result_rows[0][0])

    def rows(self, table: str) -> int:
        return self.number(f"SELECT count() FROM {table}")

    def empty(self, tables: Sequence[str]) -> None:
        for table in tables:
            self.client.command(f"TRUNCATE TABLE {table}")

    def wait_rows(self, table: str, expected: int, patience_s: float) -> int:
        """The row count once all rows have arrived, or once none arrived for ``patience_s``."""
        rows, since = self.rows(table), time.monotonic()
        while rows < expected and time.monotonic() - since < patience_s:
            time.sleep(_POLL_S)
            now = self.rows(table)
            if now != rows:
                rows, since = now, time.monotonic()
        return rows

    def wait_merges(self, cpu_seconds: Callable[[], float]) -> None:
        """Wait until the warehouse has been idle for 3 s and no merge runs.

        Watched through its CPU time, because asking it would itself cost CPU that is being measured.
        """
        while True:
            quiet, before = 0, cpu_seconds()
            while quiet < _QUIET_S:
                time.sleep(1)
                now = cpu_seconds()
                quiet = quiet + 1 if now - before <= _AT_REST else 0
                before = now
            if not self.number("SELECT count() FROM system.merges"):
                return

    def merge_all(self, tables: Sequence[str]) -> None:
        """Merges each table's partitions to one part."""
        for table in tables:
            self.client.command(f"OPTIMIZE TABLE {table} FINAL")

    def disk_bytes(self, tables: Sequence[str]) -> int:
        names = ", ".join(f"'{table}'" for table in tables)
        return self.number(
            f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND concat(database, '.', table) IN ({names})"
        )
