# SPDX-License-Identifier: Apache-2.0
"""python -m lab.bench.pipeline compare|recorder|throughput, after `make setup` and with the emitters built."""

from __future__ import annotations

import sys

from lab.bench.pipeline import compare, recorder, throughput
from lab.stand.errors import StandError
from tailrace.api import BadInput

BENCHMARKS = {"compare": compare.main, "recorder": recorder.main, "throughput": throughput.main}


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in BENCHMARKS:
        print(f"one of: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    try:
        BENCHMARKS[arguments[0]]()
    except (StandError, BadInput) as err:
        print(f"bench: {err}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
