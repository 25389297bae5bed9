# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.certify``: how long all checks of a certificate take. ROWS sets the messages of all its runs.

A line per run of a certificate: its wall time once, from the drive or the page cache as it comes.
"""

import sys
import tempfile
from pathlib import Path

from lab.bench.certify.dataset import COPIES, PLAIN, SHARED, TRANSACTED, store, twice
from lab.bench.machine import headline
from lab.bench.pipeline.stand import HOME, LOGS
from lab.bench.runner import rows_wanted, run
from lab.stand.errors import StandError
from lab.stand.warehouse import Warehouse
from tailrace.api import Check, all_claims, check_claim

GOAL_S = 60
# Complete transactions of all producers in all partitions.
MULTIPLE = 9_600
RUNS = {
    **{"no_loss": PLAIN, "no_duplicates": PLAIN, "order_per_key": PLAIN, "read_committed": TRANSACTED},
    **{"fencing": TRANSACTED, "transform_exactly_once": COPIES, "share_redelivery": SHARED},
}
# What a check states of messages that were received twice.
STATED = dict.fromkeys(("order_per_key", "transform_exactly_once", "share_redelivery"), "redelivered")


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
            made = check_claim(server.client, claim, RUNS[claim.name].run_id)
            _expect(claim.name, made, rows)
            total += made.seconds
            print(f"{claim.name} messages={made.messages} wall_s={made.seconds:.2f}", file=sys.stderr, flush=True)
    print(f"RESULT claims={len(checks)} messages={rows * len(checks)} check_s={total:.1f} goal_s={GOAL_S}")


def _expect(name: str, made: Check, rows: int) -> None:
    """Raises StandError unless every row was checked, and stated if it was received twice."""
    again = twice(RUNS[name], rows)
    messages = rows + (again if name == "order_per_key" else 0)
    stated = {STATED[name]: again} if name in STATED else {}
    found = {each.name: each.messages for each in made.findings}
    if (made.messages, found) != (messages, stated):
        raise StandError(f"{name}: a sound run: {made.messages} of {messages} checked, found {found}, not {stated}")


if __name__ == "__main__":
    run(main)
