# SPDX-License-Identifier: Apache-2.0
"""Finding what earlier load generators left behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tailrace.runs import spools
from tailrace.stack.api import StackPaths

# Takes the lock as the load generator does, reports it, and keeps it until its input ends.
HOLDER = """
import fcntl, sys
lock = open(sys.argv[1], 'r+b')
fcntl.lockf(lock, fcntl.LOCK_EX)
print('locked', flush=True)
sys.stdin.read()
"""


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    return replace(StackPaths.load(), home=tmp_path / ".tailrace", state=tmp_path / "state")


def make_spool(paths: StackPaths, run_id: str, modified: int, file: str = "00000000.seg") -> Path:
    folder = paths.runs / run_id / "spool"
    folder.mkdir(parents=True)
    (folder / file).touch()
    (folder / "lock").touch()
    os.utime(folder, (modified, modified))
    return folder


@pytest.fixture
def held(paths: StackPaths) -> Iterator[Path]:
    folder = make_spool(paths, "held", 1)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield folder
        process.communicate()


def test_spools_are_found_the_oldest_first(paths: StackPaths) -> None:
    assert list(spools.left_behind(paths)) == []
    young = make_spool(paths, "young", 3_000)
    old = make_spool(paths, "old", 1_000, "checkpoint")
    make_spool(paths, "empty", 2_000, "notes.txt")
    assert list(spools.left_behind(paths)) == [old, young]


def test_the_lock_tells_a_spool_in_use(paths: StackPaths, held: Path) -> None:
    assert spools.in_use(held)
    assert not spools.in_use(make_spool(paths, "free", 1))
    assert not spools.in_use(paths.runs / "never" / "spool")


def test_a_spool_in_use_is_left_alone(paths: StackPaths, held: Path) -> None:
    messages: list[str] = []
    # Nothing is started: there is no load generator in these paths.
    spools.ship_all(paths, "http://127.0.0.1:9", messages.append)
    assert messages == ["spool of held: in use by a running load generator, skipped"]
    assert (held / "00000000.seg").exists()
