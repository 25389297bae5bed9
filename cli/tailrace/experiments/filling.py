# SPDX-License-Identifier: Apache-2.0
"""Creates the topics and events that an experiment reads, with the tools in the experiment's folder."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tailrace.errors import BadInput, Failed
from tailrace.experiments.experiment import Filled
from tailrace.runs import loadgen
from tailrace.stack.api import SET_UP, StackPaths

TOPICS = "Topics.java"
RECORDS = "nexmark.py"


def events_folder(paths: StackPaths) -> Path:
    """The folder of events and records; workload files name it."""
    return paths.home / "build" / "feldera"


def records_file(paths: StackPaths, filled: Filled) -> Path:
    """The file with the same records, one a line."""
    return events_folder(paths) / f"records-{filled.records}.txt"


def make_events(paths: StackPaths, folder: Path, filled: Filled) -> None:
    """Generate events and records that do not exist yet; the bytes are the same every time."""
    command = [sys.executable, str(folder / RECORDS), "--out", str(events_folder(paths))]
    _do([*command, "--records", str(filled.records)], f"{folder / RECORDS}")


def make_topics(paths: StackPaths, folder: Path, filled: Filled, servers: str) -> None:
    """Delete and create the topics: empty, without retention, one replica each."""
    _topics(paths, folder, "make", servers, [f"{n}:{p}" for n, p in filled.topics.items()])


def delete_topics(paths: StackPaths, folder: Path, filled: Filled, servers: str) -> None:
    """Delete the topics, to free their disk space."""
    _topics(paths, folder, "delete", servers, list(filled.topics))


def _topics(paths: StackPaths, folder: Path, verb: str, servers: str, topics: Sequence[str]) -> None:
    libraries = paths.loadgen_jar.parent / "lib"
    if not libraries.is_dir():
        raise BadInput(f"{libraries} missing; {SET_UP}")
    command = [loadgen.java(), "-Xmx128m", "-cp", f"{libraries}/*", str(folder / TOPICS)]
    _do([*command, verb, servers, *topics], f"{folder / TOPICS} {verb}")


def _do(command: Sequence[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise Failed(f"{what}: {lines[-1]}")
