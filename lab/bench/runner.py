# SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark's program: its signals, its errors, its exit code."""

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from clickhouse_connect.driver.exceptions import ClickHouseError

from lab.stand.errors import StandError
from tailrace.api import TailraceError


def run(main: Callable[[], None]) -> NoReturn:
    """Exit with 1 and one line on stderr where ``main`` fails, with 2 for bad input (SystemExit), else with 0."""
    # A terminated benchmark must stop what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except (StandError, TailraceError, ClickHouseError) as err:
        print(f"bench: {err}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def rows_wanted(default: int, least: int, most: int, multiple: int = 1) -> int:
    """The variable ROWS. Exits with 2 where it is invalid."""
    text = os.environ.get("ROWS", str(default))
    if not text.isdigit() or not least <= int(text) <= most or int(text) % multiple:
        kind = f"a multiple of {multiple}" if multiple > 1 else "a number"
        print(f"ROWS={text}: give {kind} from {least} to {most}", file=sys.stderr)
        sys.exit(2)
    return int(text)
