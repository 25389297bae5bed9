# SPDX-License-Identifier: Apache-2.0
"""Runs whose command was killed: closes them, and copies the metrics that the command did not copy."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from clickhouse_connect.driver.client import Client

from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs import pending_metrics, spools, store
from tailrace.stack.api import Endpoints, StackPaths

# Exits of the load generator's summary that are an orderly end, with the run's state.
_ENDS = {"completed": "finished", "interrupted": "interrupted"}
_RUNNING = "SELECT * FROM v_runs WHERE state = 'running'"
_ENDED = "SELECT * FROM v_runs WHERE run_id = {run_id:String} AND state != 'running'"


def close_all(paths: StackPaths, endpoints: Endpoints, client: Client, say: Callable[[str], None]) -> None:
    """Close each run of this stack whose state is still running, and copy pending metrics.

    Call it while no run measures. Only runs with a folder here are closed: others may be running on another host.
    """
    for row in _rows(client, _RUNNING):
        folder = paths.runs / row.run_id
        if not folder.is_dir() or any(map(spools.in_use, folder.glob(f"{spools.FOLDER}*"))):
            continue
        state, ended = _end_of(folder)
        store.write(client, row.ended(state, ended))
        pending_metrics.mark(folder)
        say(f"run {row.run_id}: its command was killed; closed as {state}; audit: tailrace audit {row.run_id}")
    copy_all(paths.runs, VictoriaMetrics.at(endpoints), client, say)


def copy_all(runs: Path, source: VictoriaMetrics, client: Client, say: Callable[[str], None]) -> None:
    """Copy the pending metrics of runs that have ended.

    Runs that this warehouse does not have, or that are running, stay as they are.
    """
    for folder in pending_metrics.folders(runs):
        for row in _rows(client, _ENDED, folder.name):
            say(f"run {row.run_id}: copying its metrics, which its own command did not")
            pending_metrics.copy(folder, source, client, row, say)


def _rows(client: Client, question: str, run_id: str = "") -> list[store.RunRow]:
    found = client.query(question, parameters={"run_id": run_id}).named_results()
    # The view has no updated_time; the start suffices, because ``ended`` needs only a time that is not later.
    versions = ({**row, "updated_time": row["started_time"]} for row in found)
    return [store.RunRow(**{name: row[name] for name in store.COLUMNS}) for row in versions]


def _end_of(folder: Path) -> tuple[str, datetime]:
    """State and end from the load generators' summaries; without one, the end from their last log line."""
    ends = [folder, *folder.glob("*.log")]
    summaries = list(folder.glob("summary*.json"))
    ended = datetime.fromtimestamp(max(f.stat().st_mtime for f in summaries or ends), UTC)
    exits = {json.loads(file.read_text(encoding="utf-8"))["exit"] for file in summaries}
    return _ENDS.get(exits.pop(), "failed") if len(exits) == 1 else "failed", ended
