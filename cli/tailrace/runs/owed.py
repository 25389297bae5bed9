# SPDX-License-Identifier: Apache-2.0
"""Runs whose metrics are not kept yet: a file in a run's folder says so, from its start on.

Whatever ends the command before they are, the next ``tailrace run`` finds the file and copies them
(see orphans). VictoriaMetrics has them for 30 days.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import click
from clickhouse_connect.driver.client import Client

from tailrace.lookup import REJECTED
from tailrace.metrics.keep import keep
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs.store import RunRow

NOTE = "metrics-not-kept"


def note(folder: Path) -> None:
    """Say that the metrics of this folder's run are still to be kept."""
    (folder / NOTE).touch()


def forget(folder: Path) -> None:
    """Nothing is owed to this folder's run any more."""
    (folder / NOTE).unlink(missing_ok=True)


def owed(runs: Path) -> Iterator[Path]:
    """Folders of the runs whose metrics are still to be kept, by name."""
    yield from sorted(file.parent for file in runs.glob(f"*/{NOTE}"))


def settle(
    folder: Path,
    source: VictoriaMetrics,
    client: Client,
    row: RunRow,
    say: Callable[[str], None],
) -> None:
    """Keep the metrics of a run that has ended; one that was refused has none.

    The note stays, and a line on stderr says so, while not all that there is of them is stored.
    """
    kept = row.state == REJECTED
    try:
        if not kept:
            kept = keep(source, client, row.run_id, row.started_time, row.finished_time, say)
    finally:
        if kept:
            forget(folder)
        else:
            click.echo(
                f"run {row.run_id}: metrics are not all kept; the next tailrace run copies them",
                err=True,
            )
