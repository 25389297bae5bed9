# SPDX-License-Identifier: Apache-2.0
"""Runs whose command was killed: their rows are stored, but nobody wrote down that they ended."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from clickhouse_connect.driver.client import Client

from tailrace.metrics.keep import keep
from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs import spools, store
from tailrace.stack.api import Endpoints, StackPaths

# What the load generator's summary calls an orderly end.
_ENDS = {"completed": "finished", "interrupted": "interrupted"}


def close_all(
    paths: StackPaths, endpoints: Endpoints, client: Client, say: Callable[[str], None]
) -> None:
    """Close each run of this stack that is still called running. Call it while no run measures.

    Only runs with a folder here: others may be going on at another host.
    """
    for row in _running(client):
        folder = paths.runs / row.run_id
        if not folder.is_dir() or any(map(spools.in_use, folder.glob(f"{spools.FOLDER}*"))):
            continue
        state, ended = _end_of(folder)
        row = row.ended(state, ended)
        store.write(client, row)
        say(
            f"run {row.run_id}: its command was killed; closed as {state}; "
            f"audit: tailrace audit {row.run_id}"
        )
        source = VictoriaMetrics.of(endpoints)
        keep(source, client, row.run_id, row.started_time, row.finished_time, say)


def _running(client: Client) -> list[store.RunRow]:
    found = client.query("SELECT * FROM v_runs WHERE state = 'running'").named_results()
    # Its only version so far is the one written when it started.
    versions = ({**row, "updated_time": row["started_time"]} for row in found)
    return [store.RunRow(**{name: row[name] for name in store.COLUMNS}) for row in versions]


def _end_of(folder: Path) -> tuple[str, datetime]:
    """State and end, by the load generators' summaries; without one, by their last line of log."""
    ends = [folder, *folder.glob("*.log")]
    summaries = list(folder.glob("summary*.json"))
    ended = datetime.fromtimestamp(max(f.stat().st_mtime for f in summaries or ends), UTC)
    said = {json.loads(file.read_text(encoding="utf-8"))["exit"] for file in summaries}
    return _ENDS.get(said.pop(), "failed") if len(said) == 1 else "failed", ended
