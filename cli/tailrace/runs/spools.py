# SPDX-License-Identifier: Apache-2.0
"""Finds the spools that earlier load generators left, and ships their blocks."""

import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

from tailrace.runs import loadgen
from tailrace.runs.process import INTERRUPTED, LoadGenerator
from tailrace.stack.api import StackPaths

FOLDER = "spool"
# The next run should not wait long for a collector that accepts nothing.
PATIENCE_S = 15


def left_behind(paths: StackPaths) -> Iterator[Path]:
    """Spools in the state folder, oldest first, in use or not."""
    found = [path for path in paths.runs.glob(f"*/{FOLDER}*") if is_spool(path)]
    yield from sorted(found, key=lambda path: path.stat().st_mtime)


def is_spool(folder: Path) -> bool:
    """Whether the folder has anything that the load generator would read."""
    return (folder / "checkpoint").is_file() or any(folder.glob("*.seg"))


def in_use(folder: Path) -> bool:
    """Whether a running load generator holds the spool's lock."""
    try:
        with (folder / "lock").open("r+b") as lock:
            # The kind of lock that Java's FileLock takes; closing the file releases it.
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def ship(
    paths: StackPaths, folder: Path, otlp_url: str, say: Callable[[str], None], patience_s: int | None = None
) -> tuple[int, list[str]]:
    """Ship one spool; returns the load generator's exit code and its lines on stderr.

    0: all stored; 1: not all, also if rows were lost before the replay; 2: there is no spool, or it is in use;
    130: interrupted.
    """
    command = [*loadgen.command(paths), "ship", "--spool", str(folder), "--otlp-endpoint", otlp_url]
    if patience_s is not None:
        command += ["--patience", str(patience_s)]
    log = folder.parent / "ship.log" if folder.parent.is_dir() else Path("/dev/null")
    generator = LoadGenerator(command, log, say)
    return generator.run(), list(generator.stderr_tail)


def ship_all(paths: StackPaths, otlp_url: str, say: Callable[[str], None]) -> None:
    """Ship the spools of earlier runs before the next run starts. Their errors never stop it."""
    for folder in left_behind(paths):
        run_id = folder.parent.name
        if in_use(folder):
            say(f"spool of {run_id}: in use by a running load generator, skipped")
            continue
        say(f"spool of {run_id}: shipping its blocks")
        code, errors = ship(paths, folder, otlp_url, say, PATIENCE_S)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        for line in errors if code else []:
            say(f"spool of {run_id}: {line}")
        if is_spool(folder):
            say(f"spool of {run_id}: not all blocks are stored; later: tailrace ship {folder}")
        else:
            say(f"spool of {run_id}: done; audit the run again: tailrace audit {run_id}")
