# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.questions.billion``: start, report and dashboards of a warehouse of ROWS messages,
a billion by default.

A tenth of them is made (and kept, the data set of ``python -m lab.bench.questions``). The rest are the same parts once
more, hard links of their files: neither start nor report reads their content. The
rollup's rows are made for every second.
"""

import shutil
import statistics
import time

from clickhouse_connect.driver.client import Client

from lab.bench.machine import headline
from lab.bench.pipeline.stand import HOME, LOGS
from lab.bench.questions.boards import ask_all
from lab.bench.questions.dataset import FACTS, RATE, RUN_ID, TABLES, Dataset, count, rest, store_facts
from lab.bench.runner import rows_wanted, run
from lab.stand.program import cpu_seconds
from lab.stand.warehouse import Warehouse
from tailrace.api import ReportRow, catalogue, read_report

COPIES = 10
# As ``python -m lab.bench.questions`` does: a round that warms, and three whose median is printed.
ROUNDS = 3
STARTS = 3


def main() -> None:
    # 10 s of messages in each copy at least, and whole seconds.
    base = Dataset.of(rows_wanted(10**9, 10**7, 10**10, COPIES * RATE) // COPIES)
    print(headline())
    with Warehouse(LOGS, base.folder) as server:
        base.ensure(server.client)
        rest(server.client)
    folder = HOME / "bench-billion"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        shutil.copytree(base.folder, folder, symlinks=True)
        with Warehouse(LOGS, folder, migrate=False) as server:
            grow(server.client, base)
        starts = []
        for _ in range(STARTS):
            began = time.perf_counter()
            with Warehouse(LOGS, folder, migrate=False) as server:
                rows = count(server.client, "SELECT count() FROM publishes")
                starts.append(time.perf_counter() - began)
        with Warehouse(LOGS, folder, migrate=False) as server:
            wall, cpu = report(server)
            panel, panel_s = ask_all(server.client, COPIES * base.seconds)
            parts = count(server.client, "SELECT count() FROM system.parts WHERE active")
            rolled = count(server.client, "SELECT count() FROM rollup_1s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(
        f"RESULT start_s={statistics.median(starts):.2f} report_queries_s={wall:.2f} rows={rows} report_cpu_s={cpu:.2f}"
        f" rollup_rows={rolled} parts={parts} slowest_panel={panel.replace(' ', '_')!r} slowest_panel_s={panel_s:.2f}"
        f" goal_start_s=2 goal_report_queries_s=1 goal_panel_s=1"
    )


def grow(client: Client, base: Dataset) -> None:
    """Make the run ten times as long."""
    for table in TABLES:
        # All parts must stay, and no merge may run during the measurement.
        client.command(f"ALTER TABLE {table} MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1")
        client.command(f"CREATE TABLE twin AS {table}")
        days = client.query(f"SELECT DISTINCT partition FROM system.parts WHERE active AND table = '{table}'")
        for (day,) in days.result_rows:
            client.command(f"ALTER TABLE twin ATTACH PARTITION {day} FROM {table}")
            for _ in range(COPIES - 1):
                client.command(f"ALTER TABLE {table} ATTACH PARTITION {day} FROM twin")
        client.command("DROP TABLE twin SYNC")
    client.command(
        "INSERT INTO rollup_1s"
        " SELECT run_id, stage, topic, worker, time + copy * {seconds:UInt32}, bucket, events, bytes"
        " FROM rollup_1s ARRAY JOIN range(1, {copies:UInt32}) AS copy WHERE stage != 'failed'",
        parameters={"seconds": base.seconds, "copies": COPIES},
    )
    rest(client)
    for table in (*FACTS, "runs"):
        client.command(f"TRUNCATE TABLE {table}")
    client.command("ALTER TABLE rollup_1s DELETE WHERE stage = 'failed' SETTINGS mutations_sync = 1")
    store_facts(client, RUN_ID, RATE, COPIES * base.rows)
    rest(client)


def report(server: Warehouse) -> tuple[float, float]:
    """Median wall and CPU seconds of all queries of the report; those of each query are printed."""
    rounds = [once(server) for _ in range(ROUNDS + 1)][1:]
    for name in rounds[0][0]:
        print(f"  {name}: {statistics.median(walls[name] for walls, _ in rounds):.3f} s")
    wall = statistics.median(sum(walls.values()) for walls, _ in rounds)
    return wall, statistics.median(cpu for _, cpu in rounds)


def once(server: Warehouse) -> tuple[dict[str, float], float]:
    """Wall seconds by query, however often the report asks it, and CPU seconds of all."""
    walls: dict[str, float] = {}

    def ask(name: str, /, **params: object) -> list[ReportRow]:
        question = catalogue.load(name)
        values = question.fill({"run_id": RUN_ID} | {key: str(value) for key, value in params.items()})
        began = time.perf_counter()
        result = server.client.query(question.text, parameters=values)
        walls[name] = walls.get(name, 0) + time.perf_counter() - began
        return [dict(row) for row in result.named_results()]

    before = cpu_seconds(server.pid)
    read_report(ask)
    return walls, cpu_seconds(server.pid) - before


if __name__ == "__main__":
    run(main)
