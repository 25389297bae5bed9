# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.questions [NAME …]``: one RESULT line per query. ROWS sets the size, 100,000,000 by default."""

from __future__ import annotations

import os
import signal
import sys

from lab.bench.pipeline.machine import machine
from lab.bench.pipeline.stand import LOGS
from lab.bench.questions.cases import CASES
from lab.bench.questions.dataset import Dataset
from lab.bench.questions.measure import measure
from lab.stand.errors import StandError
from lab.stand.warehouse import Warehouse


def main(wanted: list[str]) -> int:
    text = os.environ.get("ROWS", "100000000")
    if not text.isdigit() or not 1_000_000 <= int(text) <= 1_000_000_000:
        print(f"ROWS={text}: give a number from 1000000 to 1000000000", file=sys.stderr)
        return 2
    known = [case.name for case in CASES]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"no query {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    dataset = Dataset.of(int(text))
    print(f"{machine()}; load {os.getloadavg()[0]:.1f}")
    with Warehouse(LOGS, dataset.folder) as server:
        dataset.ensure(server.client)
        for case in CASES:
            if not wanted or case.name in wanted:
                print(measure(server, case, dataset), flush=True)
    return 0


if __name__ == "__main__":
    # A terminated benchmark must stop its warehouse too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1:]))
    except StandError as err:
        print(err, file=sys.stderr)
        sys.exit(1)
