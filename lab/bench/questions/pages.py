# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.questions.pages``: how long ``tailrace report`` takes for a run of ten minutes and for one of
36 hours, how soon a browser shows the page, and how long ``tailrace explain`` takes for the short one.

Both are made by SQL, on a warehouse whose data are deleted at the end. The short one has all its messages; of the long
one what its report reads: rollup, phases and drive counters of every second.
"""

import json
import os
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from clickhouse_connect.driver.client import Client

from lab.bench.machine import headline
from lab.bench.pipeline.stand import HOME, LOGS
from lab.bench.questions.dataset import START_US, rest, store_facts, store_messages
from lab.bench.runner import run
from lab.stand.browser import CHROMIUM, chromium
from lab.stand.warehouse import Warehouse
from tailrace.contracts import STAGES

RATE = 10_000
MINUTES, HOURS = 10, 36
# Different latencies in a second of the long run.
BUCKETS = 100
ROUNDS = 3
# Seconds from the opening of a page to the first text or picture of it, as the browser reports it.
FIRST_PAINT = """new Promise((done) => new PerformanceObserver((list) => {
  const first = list.getEntriesByName("first-contentful-paint")[0];
  if (first) done(first.startTime / 1000);
}).observe({ type: "paint", buffered: true }))"""


def main() -> None:
    print(headline())
    folder = HOME / "bench-pages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with Warehouse(LOGS, folder / "data") as server:
            store_messages(server.client, "bench-minutes", RATE, RATE * 60 * MINUTES)
            store_facts(server.client, "bench-minutes", RATE, RATE * 60 * MINUTES)
            rollup(server.client, "bench-hours", 3600 * HOURS)
            rest(server.client)
            print(explained(server, "bench-minutes"), flush=True)
            for run_id, goal_s in (("bench-minutes", 5), ("bench-hours", 60)):
                print(measured(server, run_id, folder / f"{run_id}.html", goal_s), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def rollup(client: Client, run_id: str, seconds: int) -> None:
    """Store only the rollup of a run, an hour at a time."""
    for hour in range(0, seconds, 3600):
        given = {"run_id": run_id, "start_s": START_US // 1_000_000 + hour, "buckets": BUCKETS}
        for stage in STAGES:
            client.command(
                "INSERT INTO rollup_1s SELECT {run_id:String}, {stage:String}, 'bench-0', 0,"
                " toDateTime({start_s:UInt32} + intDiv(number, {buckets:UInt32})), 17300 + number % {buckets:UInt32},"
                " 1 + cityHash64(number, {stage:String}) % 200, 0 FROM numbers(3600 * {buckets:UInt32})",
                parameters={**given, "stage": stage},
            )
        for work in ("acked", "received"):
            client.command(
                "INSERT INTO rollup_1s SELECT {run_id:String}, {stage:String}, 'bench-0', 0,"
                " toDateTime({start_s:UInt32} + number), 0, 10000, 10240000 FROM numbers(3600)",
                parameters={**given, "stage": work},
            )
    store_facts(client, run_id, RATE, RATE * seconds)


def measured(server: Warehouse, run_id: str, page: Path, goal_s: int) -> str:
    first, wall, _ = timed(server, "report", run_id, "--out", str(page))
    size = page.stat().st_size
    result = f"RESULT page={run_id} report_s={wall:.2f} first_s={first:.2f} bytes={size}"
    goals = f"goal_report_s={goal_s} goal_bytes=3000000"
    if CHROMIUM:
        result, goals = f"{result} first_paint_s={first_paint(page):.2f}", f"{goals} goal_first_paint_s=1"
    return f"{result} {goals}"


def explained(server: Warehouse, run_id: str) -> str:
    first, wall, answer = timed(server, "explain", run_id, "--json")
    episodes = len(json.loads(answer)["episodes"])
    result = f"RESULT explain={run_id} explain_s={wall:.2f} first_s={first:.2f} episodes={episodes}"
    return f"{result} goal_explain_s=2"


def timed(server: Warehouse, *arguments: str) -> tuple[float, float, str]:
    """The command as a user types it, including its start: seconds of the first call, which warms the page cache,
    median of the later ones, and the output of the last."""
    walls = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        done = subprocess.run(
            [HOME / "venv" / "bin" / "tailrace", *arguments],
            env=os.environ | server.variables,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        walls.append(time.perf_counter() - began)
    return walls[0], statistics.median(walls[1:]), done.stdout


def first_paint(page: Path) -> float:
    """Median of a few openings, after one that starts the browser's parts."""
    with chromium() as browser:
        tab = browser.new_page()
        paints = []
        for _ in range(ROUNDS + 1):
            tab.goto(page.as_uri())
            paints.append(float(tab.evaluate(FIRST_PAINT)))
            tab.goto("about:blank")
        return statistics.median(paints[1:])


if __name__ == "__main__":
    run(main)
