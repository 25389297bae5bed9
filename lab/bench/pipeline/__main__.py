# SPDX-License-Identifier: Apache-2.0
"""python -m lab.bench.pipeline compare|recorder|throughput, after `make setup` and with the emitters built."""

import sys

from lab.bench.pipeline import compare, recorder, throughput
from lab.bench.runner import run

BENCHMARKS = {"compare": compare.main, "recorder": recorder.main, "throughput": throughput.main}


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in BENCHMARKS:
        print(f"one of: {', '.join(BENCHMARKS)}", file=sys.stderr)
        sys.exit(2)
    run(BENCHMARKS[sys.argv[1]])
