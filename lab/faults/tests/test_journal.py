# SPDX-License-Identifier: Apache-2.0
"""What is owed is undone, newest first, by whoever comes next, or by the guard of a killed lab."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from lab.faults.errors import LabError
from lab.faults.journal import Journal
from tailrace.stack.paths import REPO_ROOT

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
journal.owe("wake", str(pid), str(started(pid)))
os.kill(pid, signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_is_open_is_undone_newest_first(tmp_path: Path) -> None:
    value = tmp_path / "value"
    value.write_text("changed")
    with Journal(tmp_path / "lab") as journal:
        journal.owe("set", str(value), "first")
        journal.owe("set", str(value), "second")
    with Journal(tmp_path / "lab") as journal:
        assert journal.settle() == (2, [])
        assert value.read_text() == "first"
        assert journal.settle() == (0, [])


def test_what_is_paid_is_not_done_again(tmp_path: Path) -> None:
    value = tmp_path / "value"
    value.write_text("changed")
    with Journal(tmp_path / "lab") as journal:
        with journal.owing("set", str(value), "undone"):
            pass
        value.write_text("changed later")
        assert journal.settle() == (0, [])
    assert value.read_text() == "changed later"


def test_a_line_that_was_cut_off_is_ignored(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.owe("delete", str(tmp_path / "x"))
        with journal.file.open("a") as file:
            file.write('{"n": 2, "undo": ["unm')
        assert list(journal.open_entries()) == [1]


def test_what_cannot_be_undone_stays_and_is_told(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.owe("delete", str(tmp_path / "x"))
        journal.owe("set", "/proc/version", "x")
        done, failures = journal.settle()
        assert done == 1
        assert "/proc/version" in failures[0]
        assert list(journal.open_entries().values()) == [["set", "/proc/version", "x"]]


def test_two_labs_in_one_folder_are_refused(tmp_path: Path) -> None:
    with Journal(tmp_path), pytest.raises(LabError, match="another fault lab"):
        Journal(tmp_path)


def test_a_process_of_the_same_number_that_came_later_is_left_alone(tmp_path: Path) -> None:
    with (
        subprocess.Popen(["sleep", "60"], start_new_session=True) as sleeper,
        Journal(tmp_path) as journal,
    ):
        journal.owe("kill", str(sleeper.pid), "1.0")
        assert journal.settle() == (1, [])
        assert sleeper.poll() is None
        journal.owe("kill", str(sleeper.pid), str(psutil.Process(sleeper.pid).create_time()))
        journal.settle()
        assert sleeper.wait(10) == -9


def test_the_guard_puts_back_what_a_killed_lab_has_left(tmp_path: Path) -> None:
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


def test_clean_says_how_much_it_undid(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.owe("delete", str(tmp_path / "x"))
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
