# SPDX-License-Identifier: Apache-2.0
"""Spools that earlier load generators left behind: finding them, and shipping what is in them."""

import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

from tailrace.runs import loadgen
from tailrace.runs.process import INTERRUPTED, LoadGenerator
from tailrace.stack.api import StackPaths

FOLDER = "spool"
# The next run should not wait for long where the collector takes nothing.
PATIENCE_S = 15


def left_behind(paths: StackPaths) -> Iterator[Path]:
    """Spools in the state folder, the oldest first, in use or not."""
    found = [path for path in paths.runs.glob(f"*/{FOLDER}*") if is_spool(path)]
    yield from sorted(found, key=lambda path: path.stat().st_mtime)


def is_spool(folder: Path) -> bool:
    """Whether there is anything that the load generator would read."""
    return (folder / "checkpoint").is_file() or any(folder.glob("*.seg"))


def in_use(folder: Path) -> bool:
    """Whether a running load generator holds the spool's lock."""
    try:
        with (folder / "lock").open("r+b") as lock:
            # The kind of lock that Java's FileLock takes; closing the file gives it back.
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def ship(
    paths: StackPaths,
    folder: Path,
    otlp_url: str,
    say: Callable[[str], None],
    patience_s: int | None = None,
) -> tuple[int, list[str]]:
    """Ship one spool; returns the load generator's exit code and what it said on stderr.

    0: all stored, 1: not all, also where rows were lost before the replay, 2: no spool there, or it
    is in use; 130: interrupted.
    """
    command = [*loadgen.command(paths), "ship", "--spool", str(folder), "--otlp-endpoint", otlp_url]
    if patience_s is not None:
        command += ["--patience", str(patience_s)]
    log = folder.parent / "ship.log" if folder.parent.is_dir() else Path("/dev/null")
    generator = LoadGenerator(command, log, say)
    return generator.run(), list(generator.stderr_tail)


def ship_all(paths: StackPaths, otlp_url: str, say: Callable[[str], None]) -> None:
    """Ship what earlier runs have left, before the next one begins. Never stops it."""
    for folder in left_behind(paths):
        run_id = folder.parent.name
        if in_use(folder):
            say(f"spool of {run_id}: in use by a running load generator, left alone")
            continue
        say(f"spool of {run_id}: shipping what it has left")
        code, errors = ship(paths, folder, otlp_url, say, PATIENCE_S)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        for line in errors if code else []:
            say(f"spool of {run_id}: {line}")
        if is_spool(folder):
            say(f"spool of {run_id}: not all is stored; later: tailrace ship {folder}")
        else:
            say(f"spool of {run_id}: done; its audit may say more now: tailrace audit {run_id}")
