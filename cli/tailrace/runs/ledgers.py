# SPDX-License-Identifier: Apache-2.0
"""Waits for the ledgers of workers that run on other hosts."""

import time
from collections.abc import Callable

from clickhouse_connect.driver.client import Client

from tailrace.runs.workers import Workers
from tailrace.warehouse import select

# Longer than a load generator takes to ship its last blocks (30 s).
PATIENCE_S = 60.0


def wait(
    client: Client, run_id: str, workers: Workers, say: Callable[[str], None], patience_s: float = PATIENCE_S
) -> None:
    """Wait, for a bounded time, until every worker's ledger is stored; the audit names the rest."""
    if workers.all_here:
        return
    deadline = time.monotonic() + patience_s
    while missing := _missing(client, run_id, workers.count):
        if time.monotonic() > deadline:
            listed = ", ".join(map(str, missing))
            say(f"no ledger of worker {listed} after {patience_s:.0f} s: auditing without it")
            return
        time.sleep(0.5)


def _missing(client: Client, run_id: str, workers: int) -> list[int]:
    rows = select(client, "SELECT DISTINCT worker FROM v_ledger WHERE run_id = {run_id:String}", run_id=run_id)
    return sorted(set(range(workers)) - {int(row[0]) for row in rows})
