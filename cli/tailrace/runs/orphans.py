# SPDX-License-Identifier: Apache-2.0
"""Runs whose command ended too early: nobody wrote down that they ended, or kept their metrics."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from clickhouse_connect.driver.client import Client

from tailrace.metrics.victoriametrics import VictoriaMetrics
from tailrace.runs import owed, spools, store
from tailrace.stack.api import Endpoints, StackPaths

# What the load generator's summary calls an orderly end.
_ENDS = {"completed": "finished", "interrupted": "interrupted"}
_RUNNING = "SELECT * FROM v_runs WHERE state = 'running'"
_ENDED = "SELECT * FROM v_runs WHERE run_id = {run_id:String} AND state != 'running'"


def close_all(paths: StackPaths, endpoints: Endpoints, client: Client, say: Callable[[str], None]) -> None:
    """Close each run of this stack that is still called running, and keep what metrics are owed.

    Call it while no run measures. Only runs with a folder here: others may be going on at another
    host.
    """
    for row in _rows(client, _RUNNING):
        folder = paths.runs / row.run_id
        if not folder.is_dir() or any(map(spools.in_use, folder.glob(f"{spools.FOLDER}*"))):
            continue
        state, ended = _end_of(folder)
        store.write(client, row.ended(state, ended))
        owed.note(folder)
        say(f"run {row.run_id}: its command was killed; closed as {state}; audit: tailrace audit {row.run_id}")
    settle_all(paths.runs, VictoriaMetrics.of(endpoints), client, say)


def settle_all(runs: Path, source: VictoriaMetrics, client: Client, say: Callable[[str], None]) -> None:
    """Keep the metrics that no command has kept yet, of runs that have ended.

    Runs that this warehouse does not know, or that go on, stay as they are.
    """
    for folder in owed.owed(runs):
        for row in _rows(client, _ENDED, folder.name):
            say(f"run {row.run_id}: copying its metrics, which its own command has not")
            owed.settle(folder, source, client, row, say)


def _rows(client: Client, question: str, run_id: str = "") -> list[store.RunRow]:
    found = client.query(question, parameters={"run_id": run_id}).named_results()
    # When a version was written is not shown: ``ended`` only asks for one that is not later.
    versions = ({**row, "updated_time": row["started_time"]} for row in found)
    return [store.RunRow(**{name: row[name] for name in store.COLUMNS}) for row in versions]


def _end_of(folder: Path) -> tuple[str, datetime]:
    """State and end, by the load generators' summaries; without one, by their last line of log."""
    ends = [folder, *folder.glob("*.log")]
    summaries = list(folder.glob("summary*.json"))
    ended = datetime.fromtimestamp(max(f.stat().st_mtime for f in summaries or ends), UTC)
    said = {json.loads(file.read_text(encoding="utf-8"))["exit"] for file in summaries}
    return _ENDS.get(said.pop(), "failed") if len(said) == 1 else "failed", ended
