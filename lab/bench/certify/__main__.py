# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.certify``: how long all checks of a certificate take. ROWS sets the messages of a run.

A line per query: its wall time once, from the drive or the page cache as it comes, and what it found.
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
from tailrace.api import catalogue

GOAL_S = 60
# Of a certificate, and not named like its other queries.
SHARED = ("audit_transactions",)
COPIES_OF_A_TOPIC = "certify_transform_exactly_once"
# Complete transactions of all producers in all partitions.
MULTIPLE = 9_600


def main() -> None:
    rows = rows_wanted(96_000_000, MULTIPLE, 10**9, MULTIPLE)
    print(headline())
    HOME.mkdir(parents=True, exist_ok=True)
    total = 0.0
    with tempfile.TemporaryDirectory(dir=HOME) as folder, Warehouse(LOGS, Path(folder)) as server:
        store(server.client, rows)
        for name in [*(each for each in catalogue.names() if each.startswith("certify_")), *SHARED]:
            question = catalogue.load(name)
            values = question.fill({"run_id": COPIES if name == COPIES_OF_A_TOPIC else PLAIN})
            begun = time.perf_counter()
            found = list(server.client.query(question.text, parameters=values).named_results())
            took = time.perf_counter() - begun
            if wrong := [row for row in found if row["kind"] != "checked" and not row["kind"].startswith("allowed_")]:
                raise StandError(f"{name}: found in a sound run: {wrong[0]}")
            total += took
            print(f"{name} wall_s={took:.2f}", file=sys.stderr, flush=True)
    print(f"RESULT messages={rows} check_s={total:.1f} goal_s={GOAL_S}")


if __name__ == "__main__":
    run(main)
