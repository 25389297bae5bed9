# SPDX-License-Identifier: Apache-2.0
"""Writes a run's row in ``runs`` when the run starts, and again when it ends."""

from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime, timedelta

from clickhouse_connect.driver.client import Client

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class RunRow:
    """One version of a run. ``workload`` and ``driver`` are texts without secrets."""

    run_id: str
    workload_name: str
    driver_name: str
    state: str
    started_time: datetime
    finished_time: datetime
    seed: int
    workers: int
    workload: str
    driver: str
    manifest: str
    updated_time: datetime

    def ended(self, state: str, at: datetime) -> "RunRow":
        """The next version; ``state`` is finished, interrupted, failed or rejected."""
        # Newer than the version that it replaces, even if this machine's clock was set back.
        newer = max(at, self.updated_time + timedelta(microseconds=1))
        return replace(self, state=state, finished_time=at, updated_time=newer)


COLUMNS = tuple(field.name for field in fields(RunRow))


def write(client: Client, row: RunRow) -> None:
    """Write a version of the row; the newest one wins. The audit's verdict is empty at first."""
    client.insert("runs", [astuple(row)], column_names=COLUMNS)
