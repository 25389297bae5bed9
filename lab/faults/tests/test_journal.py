# SPDX-License-Identifier: Apache-2.0
"""Recorded changes are undone, newest first, by the next lab or by the guard of a killed one."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from lab.faults.journal import Journal
from lab.stand.errors import StandError
from tailrace.api import REPO_ROOT

ENV = os.environ | {"PYTHONPATH": f"{REPO_ROOT}:{REPO_ROOT}/cli"}
# A lab that stops a process and is killed before it wakes it.
VICTIM_LAB = """\
import os, signal, sys
from pathlib import Path
from lab.faults.journal import Journal
from lab.faults.system import started
journal = Journal(Path(sys.argv[1]))
journal.guard()
pid = int(sys.argv[2])
journal.record("wake", str(pid), str(started(pid)))
os.kill(pid, signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_open_entries_are_undone_newest_first(tmp_path: Path) -> None:
    value = tmp_path / "value"
    value.write_text("changed")
    with Journal(tmp_path / "lab") as journal:
        journal.record("set", str(value), "first")
        journal.record("set", str(value), "second")
    with Journal(tmp_path / "lab") as journal:
        assert journal.undo_all() == (2, [])
        assert value.read_text() == "first"
        assert journal.undo_all() == (0, [])


def test_an_undone_entry_is_not_undone_again(tmp_path: Path) -> None:
    value = tmp_path / "value"
    value.write_text("changed")
    with Journal(tmp_path / "lab") as journal:
        with journal.undo_at_end("set", str(value), "undone"):
            pass
        value.write_text("changed later")
        assert journal.undo_all() == (0, [])
    assert value.read_text() == "changed later"


def test_a_line_that_was_cut_off_is_ignored(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.record("delete", str(tmp_path / "x"))
        with journal.file.open("a") as file:
            file.write('{"n": 2, "undo": ["unm')
        assert list(journal.open_entries()) == [1]


def test_an_entry_that_cannot_be_undone_stays_and_is_reported(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.record("delete", str(tmp_path / "x"))
        journal.record("set", "/proc/version", "x")
        done, failures = journal.undo_all()
        assert done == 1
        assert "/proc/version" in failures[0]
        assert list(journal.open_entries().values()) == [["set", "/proc/version", "x"]]


def test_two_labs_in_one_folder_are_refused(tmp_path: Path) -> None:
    with Journal(tmp_path), pytest.raises(StandError, match="another fault lab"):
        Journal(tmp_path)


def test_a_later_process_with_the_same_number_is_left_alone(tmp_path: Path) -> None:
    with (
        subprocess.Popen(["sleep", "60"], start_new_session=True) as sleeper,
        Journal(tmp_path) as journal,
    ):
        journal.record("kill", str(sleeper.pid), "1.0")
        assert journal.undo_all() == (1, [])
        assert sleeper.poll() is None
        journal.record("kill", str(sleeper.pid), str(psutil.Process(sleeper.pid).create_time()))
        journal.undo_all()
        assert sleeper.wait(10) == -9


def test_the_guard_undoes_what_a_killed_lab_left(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        try:
            lab = subprocess.run(
                [sys.executable, "-c", VICTIM_LAB, str(tmp_path), str(sleeper.pid)],
                env=ENV,
                check=False,
                timeout=30,
            )
            assert lab.returncode == -9
            victim = psutil.Process(sleeper.pid)
            deadline = time.monotonic() + 30
            while victim.status() == psutil.STATUS_STOPPED or (tmp_path / "undo.jsonl").exists():
                assert time.monotonic() < deadline, "the guard did not wake it"
                time.sleep(0.05)
        finally:
            sleeper.kill()


def test_clean_prints_how_much_it_undid(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.record("delete", str(tmp_path / "x"))
        assert json.loads(journal.file.read_text())["undo"][0] == "delete"
    clean = subprocess.run(
        [sys.executable, "-m", "lab.faults", "--folder", str(tmp_path), "clean"],
        env=ENV,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (clean.returncode, clean.stderr) == (0, "faults: 1 things undone\n")
