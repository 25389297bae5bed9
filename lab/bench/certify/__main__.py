# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.certify``: how long all checks of a certificate take. ROWS sets the messages of all its runs.

A line per run of a certificate: its wall time once, from the drive or the page cache as it comes.
"""

import sys
import tempfile
import time
from pathlib import Path

from lab.bench.certify.dataset import COPIES, PLAIN, store
from lab.bench.machine import headline
from lab.bench.pipeline.stand import HOME, LOGS
from lab.bench.runner import rows_wanted, run
from lab.stand.errors import StandError
from lab.stand.warehouse import Warehouse
from tailrace.api import all_claims, catalogue

GOAL_S = 60
# Complete transactions of all producers in all partitions.
MULTIPLE = 9_600


def main() -> None:
    # A claim that is tried with two transaction versions has two runs.
    checks = [claim for claim in all_claims() for _ in claim.transaction_versions or (0,)]
    rows = rows_wanted(100_051_200, MULTIPLE * len(checks), 10**10, MULTIPLE * len(checks)) // len(checks)
    print(headline())
    HOME.mkdir(parents=True, exist_ok=True)
    total = 0.0
    with tempfile.TemporaryDirectory(dir=HOME) as folder, Warehouse(LOGS, Path(folder)) as server:
        store(server.client, rows)
        for claim in checks:
            question = catalogue.load(claim.query)
            values = question.fill({"run_id": COPIES if claim.companion == "transform" else PLAIN})
            begun = time.perf_counter()
            found = list(server.client.query(question.text, parameters=values).named_results())
            took = time.perf_counter() - begun
            if wrong := [row for row in found if row["kind"] != "checked" and not row["kind"].startswith("allowed_")]:
                raise StandError(f"{claim.query}: found in a sound run: {wrong[0]}")
            total += took
            print(f"{claim.name} messages={rows} wall_s={took:.2f}", file=sys.stderr, flush=True)
    print(f"RESULT claims={len(checks)} messages={rows * len(checks)} check_s={total:.1f} goal_s={GOAL_S}")


if __name__ == "__main__":
    run(main)
