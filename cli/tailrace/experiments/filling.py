# SPDX-License-Identifier: Apache-2.0
"""Topics and events that an experiment reads, made with the tools beside its workload files."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tailrace.errors import BadInput, Failed
from tailrace.experiments.experiment import Filled
from tailrace.runs import loadgen
from tailrace.stack.api import StackPaths

TOPICS = "Topics.java"
RECORDS = "nexmark.py"


def events_folder(paths: StackPaths) -> Path:
    """Where events and the file of records lie; workload files name it."""
    return paths.home / "build" / "feldera"


def records_file(paths: StackPaths, filled: Filled) -> Path:
    """The same number of records, one a line."""
    return events_folder(paths) / f"records-{filled.records}.txt"


def make_events(paths: StackPaths, folder: Path, filled: Filled) -> None:
    """Make events and records that are not there yet: the same bytes every time."""
    command = [sys.executable, str(folder / RECORDS), "--out", str(events_folder(paths))]
    _do([*command, "--records", str(filled.records)], f"{folder / RECORDS}")


def make_topics(paths: StackPaths, folder: Path, filled: Filled, servers: str) -> None:
    """Make the topics anew, empty, without retention, one replica each."""
    _topics(paths, folder, "make", servers, [f"{n}:{p}" for n, p in filled.topics.items()])


def delete_topics(paths: StackPaths, folder: Path, filled: Filled, servers: str) -> None:
    """Give back the disk they take."""
    _topics(paths, folder, "delete", servers, list(filled.topics))


def _topics(paths: StackPaths, folder: Path, verb: str, servers: str, topics: Sequence[str]) -> None:
    libraries = paths.loadgen_jar.parent / "lib"
    if not libraries.is_dir():
        raise BadInput(f"{libraries} missing; run make setup")
    command = [loadgen.java(), "-Xmx128m", "-cp", f"{libraries}/*", str(folder / TOPICS)]
    _do([*command, verb, servers, *topics], f"{folder / TOPICS} {verb}")


def _do(command: Sequence[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise Failed(f"{what}: {lines[-1]}")
