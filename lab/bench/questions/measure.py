# SPDX-License-Identifier: Apache-2.0
"""What one query costs the warehouse: CPU, wall time, the process's highest resident memory."""

import time
from pathlib import Path

from clickhouse_connect.driver.exceptions import ClickHouseError

from lab.bench.questions.cases import Case
from lab.bench.questions.dataset import RUN_ID, Dataset
from lab.stand.program import cpu_seconds
from lab.stand.warehouse import Warehouse
from tailrace.api import catalogue, first_line

# Counted rounds; their median is printed. A round before them warms the page cache.
ROUNDS = 3
MIB = 1 << 20


def measure(server: Warehouse, case: Case, dataset: Dataset) -> str:
    """The case's RESULT line."""
    question = catalogue.load(case.query)
    given = case.given(dataset.measure_s)
    values = question.fill({"run_id": RUN_ID, **given} if question.takes_run() else given)
    rounds = []
    rows = 0
    for _ in range(ROUNDS + 1):
        Path(f"/proc/{server.pid}/clear_refs").write_text("5")  # resets the peak
        cpu, wall = cpu_seconds(server.pid), time.perf_counter()
        try:
            rows = sum(1 for _ in server.client.query(question.text, parameters=values).result_rows)
        except ClickHouseError as err:
            return f"RESULT query={name(case, dataset)} failed={first_line(err)[:300]!r}"
        wall = time.perf_counter() - wall
        if not rows and not case.maybe_none:
            return f"RESULT query={name(case, dataset)} failed='no rows found'"
        rounds.append((cpu_seconds(server.pid) - cpu, wall, _peak_mib(server.pid)))
    cpu, wall, peak = (sorted(column)[ROUNDS // 2] for column in zip(*rounds[1:], strict=True))
    goals = [
        f" goal_{unit}={goal}"
        for unit, goal in (("cpu_s", case.goal_cpu_s), ("wall_s", case.goal_wall_s))
        if goal is not None
    ]
    return (
        f"RESULT query={name(case, dataset)} cpu_s={cpu:.2f} wall_s={wall:.3f} peak_mb={peak:.0f} rows={rows}"
        + "".join(goals)
    )


def name(case: Case, dataset: Dataset) -> str:
    return f"{case.name}_{dataset.rows // 1_000_000}m"


def _peak_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / MIB
