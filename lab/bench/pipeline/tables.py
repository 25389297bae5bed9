# SPDX-License-Identifier: Apache-2.0
"""What the benchmark reads from the warehouse: rows, parts, merges, bytes on disk."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.bench.errors import BenchError

_POLL_S = 1.0
_QUIET_S = 3
# Seconds of CPU in a second; an idle engine needs about 0.01, a merge that gets a tenth of a core ten times that.
_AT_REST = 0.03


@dataclass(frozen=True)
class Tables:
    """Table names carry their database: ``default.publishes``."""

    port: int
    user: str
    password: str

    def query(self, sql: str) -> str:
        """The answer as tab-separated text, without its last line break."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/",
            data=sql.encode(),
            headers={"X-ClickHouse-User": self.user, "X-ClickHouse-Key": self.password},
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return str(answer.read().decode()).rstrip("\n")
        except urllib.error.HTTPError as err:
            raise BenchError(f"warehouse refused {sql!r}: {err.read().decode()[:400]}") from err

    def rows(self, table: str) -> int:
        return int(self.query(f"SELECT count() FROM {table}"))

    def empty(self, tables: Sequence[str]) -> None:
        for table in tables:
            self.query(f"TRUNCATE TABLE {table}")

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
            if self.query("SELECT count() FROM system.merges") == "0":
                return

    def merge_all(self, tables: Sequence[str]) -> None:
        """Merges each table's partitions to one part."""
        for table in tables:
            self.query(f"OPTIMIZE TABLE {table} FINAL")

    def disk_bytes(self, tables: Sequence[str]) -> int:
        return int(self.query(f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND {_these(tables)}"))


def _these(tables: Sequence[str]) -> str:
    names = ", ".join(f"'{table}'" for table in tables)
    return f"concat(database, '.', table) IN ({names})"
