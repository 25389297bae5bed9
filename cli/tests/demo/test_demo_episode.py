# SPDX-License-Identifier: Apache-2.0
"""The demo's neighbour: when it writes, that it is marked, and that nothing of it stays."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tailrace.demo import episode, neighbour
from tailrace.demo.episode import Episode
from tailrace.errors import Failed
from tailrace.marks.reading import Mark
from tailrace.stack.api import StackPaths

WAIT_S = 30.0
# Starts a neighbour as the command does, and dies without cleaning up.
PARENT = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, '-m', 'tailrace.demo.neighbour', sys.argv[1], '60'], stdin=subprocess.PIPE)
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(episode, "SECONDS", 1)
    return []


def progress(phase: str, second: int) -> str:
    return f"{phase} 00:{second:02}/01:00  sent 1/s  acked 1/s"


def feed_until_over(heard: episode.Say, shown: list[str], ending: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while not any(ending in line for line in shown):
        assert time.monotonic() < deadline, shown
        heard(progress("measure", 31))
        time.sleep(0.05)


def wait_for_writes(process: psutil.Process) -> None:
    deadline = time.monotonic() + WAIT_S
    while process.io_counters().write_bytes < neighbour.FILE_BYTES:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_writes_at_its_time_and_is_marked(tmp_path: Path, shown: list[str]) -> None:
    marks: list[Mark] = []
    with Episode(StackPaths.load(), tmp_path, " sda", 25, marks.append) as made:
        heard = made.around(shown.append)
        heard(progress("warmup", 30))
        heard(progress("measure", 24))
        assert len(shown) == 2
        began = time.time()
        heard(progress("measure", 25))
        assert shown[3].startswith("for 1 s a neighbour writes and syncs on the broker's drive sda: ")
        feed_until_over(heard, shown, "the neighbour has ended; it wrote ")
    (mark,) = marks
    assert made.happened == mark
    assert mark.kind == "fault"
    assert began <= mark.start < mark.end <= time.time()
    assert mark.end - mark.start >= 1
    # Nothing happens twice.
    count = len(shown)
    heard(progress("measure", 40))
    assert len(shown) == count + 1
    assert list(tmp_path.iterdir()) == []


def test_a_mark_that_cannot_be_stored_is_no_failure_of_the_run(tmp_path: Path, shown: list[str]) -> None:
    def refuse(_mark: Mark) -> None:
        raise Failed("no permission")

    with Episode(StackPaths.load(), tmp_path, "", 0, refuse) as made:
        feed_until_over(made.around(shown.append), shown, "the run has no mark of it: no permission")
    assert made.happened is not None


def test_without_a_drive_to_write_to_it_states_why(tmp_path: Path, shown: list[str]) -> None:
    with Episode(StackPaths.load(), tmp_path / "missing", "", 0, lambda _mark: None) as made:
        feed_until_over(made.around(shown.append), shown, "the neighbour ended early")
    assert "No such file" in shown[-1]
    assert made.happened is None


@pytest.mark.parametrize("interrupted", [True, False])
def test_it_ends_with_an_interrupted_run(tmp_path: Path, interrupted: bool) -> None:
    shown: list[str] = []
    before = set(psutil.Process().children())
    with Episode(StackPaths.load(), tmp_path, "", 0, lambda _mark: None) as made:
        heard = made.around(shown.append)
        heard(progress("measure", 0))
        (process,) = set(psutil.Process().children()) - before
        wait_for_writes(process)
        if interrupted:
            heard("stopping: the load generator ships what it has")
            assert not process.is_running()
    assert not process.is_running()
    assert made.happened is None
    assert list(tmp_path.iterdir()) == []


def test_it_ends_with_a_killed_command_and_leaves_no_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        wait_for_writes(child)
        parent.kill()
        psutil.wait_procs([child], timeout=WAIT_S)
        assert not child.is_running()
    assert list(tmp_path.iterdir()) == []


def test_without_nameless_files_it_takes_over_what_a_crash_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file system without them opens the folder itself, and refuses that.
    monkeypatch.setattr(os, "O_TMPFILE", 0)
    left = tmp_path / neighbour.NAME
    left.write_bytes(b"left")
    handle = neighbour.opened(tmp_path, neighbour.NAME)
    try:
        assert not left.exists()
        assert os.fstat(handle).st_size == 0
    finally:
        os.close(handle)
