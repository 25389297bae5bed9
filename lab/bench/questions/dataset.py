# SPDX-License-Identifier: Apache-2.0
"""The run that the queries read: made inside the engine by SQL, kept between benchmarks."""

import hashlib
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from clickhouse_connect.driver.client import Client

from lab.bench.pipeline.stand import HOME
from tailrace.api import REPO_ROOT

RUN_ID = "bench"
# 2026-01-15 08:00:00 UTC, so that 10,000 s (a billion messages) stay within a day.
START_US = 1_768_464_000 * 1_000_000
RATE = 100_000
CHUNK = 5_000_000
STATEMENTS = Path(__file__).parent / "dataset_sql"
TABLES = ("publishes", "deliveries")
FACTS = ("run_events", "partition_leaders", "publish_failures", "ledger", "host_metrics")
STORED = re.compile(r"^CREATE (?:TABLE|MATERIALIZED VIEW) .*?;$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Dataset:
    """``rows`` messages, each published and delivered once; ``folder`` holds the warehouse's data."""

    rows: int
    folder: Path

    @classmethod
    def of(cls, rows: int) -> Self:
        """The kept data set of this size, seed and schema; others are deleted, they cost gigabytes."""
        migrations = [path.read_text() for path in sorted((REPO_ROOT / "schemas" / "migrations").glob("*.sql"))]
        # Views hold nothing, so a new one leaves the data set as it is.
        tables = [table.encode() for text in migrations for table in STORED.findall(text)]
        sources = [path.read_bytes() for path in sorted(STATEMENTS.glob("*.sql"))] + tables
        digest = hashlib.sha256(b"".join(sources)).hexdigest()[:12]
        home = HOME / "bench-queries"
        folder = home / f"{rows}-{digest}"
        for other in home.glob("*"):
            if other.name.partition("-")[2] != digest:
                shutil.rmtree(other)
        folder.mkdir(parents=True, exist_ok=True)
        return cls(rows, folder)

    @property
    def seconds(self) -> int:
        return self.rows // RATE

    @property
    def measure_s(self) -> int:
        """The measure phase begins after a twentieth of the run and lasts until its end."""
        return self.seconds - self.seconds // 20

    def ensure(self, client: Client) -> None:
        """Make the rows unless they exist; an incomplete data set is made again."""
        stored = [count(client, f"SELECT count() FROM {table}") for table in TABLES]
        done = count(client, f"SELECT count() FROM runs WHERE run_id = '{RUN_ID}'")
        if not done:
            for table in (*TABLES, "rollup_1s", *FACTS):
                client.command(f"TRUNCATE TABLE {table}")
            self._make(client)
            stored = [count(client, f"SELECT count() FROM {table}") for table in TABLES]
        if stored != [self.rows, self.rows]:
            raise SystemExit(f"{self.folder}: holds {stored} rows, not {self.rows}; delete the folder")

    def _make(self, client: Client) -> None:
        print(f"making {self.rows:,} messages in {self.folder}", file=sys.stderr)
        store_messages(client, RUN_ID, RATE, self.rows)
        rest(client)
        client.command("OPTIMIZE TABLE rollup_1s FINAL")
        store_facts(client, RUN_ID, RATE, self.rows)


def store_messages(client: Client, run_id: str, rate: int, rows: int) -> None:
    """Store a run's messages, each published and delivered once."""
    messages = (STATEMENTS / "messages.sql").read_text()
    for table in TABLES:
        sql = (STATEMENTS / f"{table}.sql").read_text().replace("/* messages */", messages)
        for first in range(0, rows, CHUNK):
            given = {"run_id": run_id, "start_us": START_US, "rate": rate, "first": first}
            given["rows"] = min(CHUNK, rows - first)
            client.command(sql, parameters=given, settings={"max_threads": 2})


def store_facts(client: Client, run_id: str, rate: int, rows: int) -> None:
    """Store the facts about a run of ``rows`` messages; the row in ``runs`` comes last."""
    given = {"run_id": run_id, "start_us": START_US, "rate": rate, "seconds": rows // rate, "rows": rows}
    for statement in (STATEMENTS / "facts.sql").read_text().split(";\n"):
        client.command(statement, parameters=given)


def count(client: Client, sql: str) -> int:
    """The single number that ``sql`` returns."""
    return int(client.query(sql).result_rows[0][0])


def rest(client: Client, timeout_s: float = 600) -> None:
    """Wait until no merge has run for three seconds."""
    deadline, quiet = time.monotonic() + timeout_s, 0
    while quiet < 6:
        if time.monotonic() > deadline:
            raise SystemExit(f"merges did not come to rest within {timeout_s:.0f} s")
        quiet = 0 if count(client, "SELECT count() FROM system.merges") else quiet + 1
        time.sleep(0.5)
