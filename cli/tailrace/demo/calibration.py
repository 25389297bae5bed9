# SPDX-License-Identifier: Apache-2.0
"""Finds the demo's rate: a share of what this machine carries, measured in seconds before the run.

The same clients, broker and settings as in the run send as fast as the broker acknowledges. No message is recorded.
It also warms up the broker's JVM, which the run then uses; the load generator starts again.
"""

import os
import re
import statistics
from collections.abc import Callable

from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace import warehouse
from tailrace.archive.delete import delete
from tailrace.demo import workload
from tailrace.errors import Failed, TailraceError
from tailrace.runs import loadgen
from tailrace.runs.generation import TOPICS
from tailrace.runs.loadgen import Inputs
from tailrace.runs.process import INTERRUPTED, STOPPING, LoadGenerator
from tailrace.stack.api import MARK, Endpoints, StackPaths

SECONDS = 12
# By then the load generator's JVM has compiled what it runs most.
COUNTED_S = 5
# Batches are smaller at a lower rate, so a message costs more CPU than at the highest one.
SHARE = 0.25
# Fewer messages a second have no p99.
LEAST = 500
_PROGRESS = re.compile(r"measure \S+  sent \d+/s  acked \d+/s  received (\d+)/s")

Say = Callable[[str], None]


def carried(paths: StackPaths, run_id: str, say: Say) -> int:
    """Messages/s that this machine produces, syncs and consumes. Raises Failed, KeyboardInterrupt."""
    say(f"calibrating for {SECONDS} s: as fast as this machine goes, not recorded")
    name = f"{run_id}-calibration"
    folder = paths.runs / run_id
    changes = {"name": "demo-calibration", "producerRate": "max", "warmupDuration": "0s"}
    file = workload.written(paths, folder / "calibration.yaml", {**changes, "testDuration": f"{SECONDS}s"})
    endpoints, lines = Endpoints.load(paths), list[str]()

    def heard(line: str) -> None:
        lines.append(line)
        if line.startswith(STOPPING):
            say(line)

    inputs = Inputs(file, workload.driver(paths), None, None)
    command = [*loadgen.command(paths), "run", *inputs.arguments(paths), "--run-id", name, "--unrecorded"]
    # The topic's note is where an interrupted run leaves it: the next run deletes that topic.
    command += ["--otlp-endpoint", endpoints.otlp_url, "--topic-note", str(folder / TOPICS)]
    log = folder / "calibration.log"
    code = LoadGenerator(command, log, heard, os.environ | {MARK: str(paths.state)}).run()
    _forget(endpoints, name, say)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    rates = received(lines)
    if code or len(rates) < SECONDS - 1 or not statistics.median(rates[-COUNTED_S:]):
        raise Failed(f"the calibration ended with exit code {code}: see {log}; --rate N leaves it out")
    return round(statistics.median(rates[-COUNTED_S:]))


def received(lines: list[str]) -> list[int]:
    """Messages/s of each second, from the load generator's progress lines."""
    return [int(match[1]) for match in map(_PROGRESS.match, lines) if match]


def rate(carried_per_s: int, most: int) -> int:
    """The demo's rate, with two digits."""
    return min(most, max(LEAST, _two_digits(carried_per_s * SHARE)))


def sentence(carried_per_s: int, chosen: int, message_bytes: int) -> str:
    """What was found and chosen, in one line."""
    size = f"{message_bytes // 1024} KiB" if message_bytes % 1024 == 0 else f"{message_bytes} bytes"
    found = f"{_two_digits(carried_per_s):,} messages/s of {size}, each synced to the drive"
    return f"this machine carries some {found}; the demo sends {chosen:,}/s"


def _two_digits(value: float) -> int:
    digits = max(0, len(str(int(value))) - 2)
    return int(value) // int(10**digits) * int(10**digits)


def _forget(endpoints: Endpoints, name: str, say: Say) -> None:
    """Delete its events and counters: it is no run."""
    try:
        delete(warehouse.connect(endpoints), name, force=True, say=lambda _line: None)
    except (TailraceError, ClickHouseError) as err:
        say(f"the calibration left rows of {name} in the warehouse: {err}")
