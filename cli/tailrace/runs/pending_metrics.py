# SPDX-License-Identifier: Apache-2.0
"""Runs whose metrics are still to be copied: a file in the run's folder marks them from the run's start.

If the command ends before it has copied them, the next ``tailrace run`` finds the file and copies them (see orphans).
VictoriaMetrics keeps them for 30 days.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import click
from clickhouse_connect.driver.client import Client

from tailrace.lookup import REJECTED
from tailrace.metrics.keep import keep
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs.store import RunRow

FILE = "metrics-not-kept"


def mark(folder: Path) -> None:
    """Mark the metrics of this folder's run as still to be copied."""
    (folder / FILE).touch()


def clear(folder: Path) -> None:
    """Remove the mark."""
    (folder / FILE).unlink(missing_ok=True)


def folders(runs: Path) -> Iterator[Path]:
    """Folders of the runs whose metrics are still to be copied, sorted by name."""
    yield from sorted(file.parent for file in runs.glob(f"*/{FILE}"))


def copy(folder: Path, source: VictoriaMetrics, client: Client, row: RunRow, say: Callable[[str], None]) -> None:
    """Copy the metrics of a run that has ended; a rejected run has none.

    While some of them are not stored, the mark stays and a line on stderr reports it.
    """
    copied = row.state == REJECTED
    try:
        if not copied:
            copied = keep(source, client, row.run_id, row.started_time, row.finished_time, say)
    finally:
        if copied:
            clear(folder)
        else:
            click.echo(f"run {row.run_id}: metrics are not all kept; the next tailrace run copies them", err=True)
