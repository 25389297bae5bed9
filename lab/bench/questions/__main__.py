# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.questions [NAME …]``: one RESULT line per query. ROWS sets the size, 100,000,000 by default."""

import sys

from lab.bench.machine import headline
from lab.bench.pipeline.stand import LOGS
from lab.bench.questions.cases import CASES
from lab.bench.questions.dataset import Dataset
from lab.bench.questions.measure import measure
from lab.bench.runner import rows_wanted, run
from lab.stand.warehouse import Warehouse


def main() -> None:
    rows = rows_wanted(10**8, 10**6, 10**9)
    wanted, known = sys.argv[1:], [case.name for case in CASES]
    if unknown := [name for name in wanted if name not in known]:
        print(f"no query {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        sys.exit(2)
    dataset = Dataset.of(rows)
    print(headline())
    with Warehouse(LOGS, dataset.folder) as server:
        dataset.ensure(server.client)
        for case in CASES:
            if not wanted or case.name in wanted:
                print(measure(server, case, dataset), flush=True)


if __name__ == "__main__":
    run(main)
