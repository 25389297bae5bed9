# SPDX-License-Identifier: Apache-2.0
"""A damaged stack is repaired or reset, or the command reports what is wrong."""

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.stand.fixtures import MakeStack
from tailrace.errors import BadInput
from tailrace.stack.api import StackPaths, is_measuring, one_run
from tailrace.stack.processes import stack_processes, supervisor_of

COMMAND = str(Path(sys.executable).with_name("tailrace"))


def tailrace(place: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [COMMAND, *arguments],
        env=os.environ | place,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def kill(paths: StackPaths, name: str) -> None:
    """kill -9 of one of the stack's processes, and wait until it is gone."""
    process = next(p for p in stack_processes(paths.state) if name in " ".join(p.cmdline()))
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=10)


def until_status_shows(place: dict[str, str], pattern: str) -> str:
    deadline = time.monotonic() + 30
    while True:
        shown = tailrace(place, "status").stdout
        if re.search(pattern, shown) or time.monotonic() > deadline:
            return shown


def test_a_paused_broker_is_named_and_up_or_start_lets_it_go_on(make_stack: MakeStack) -> None:
    place = make_stack("paused-broker").variables
    paths = StackPaths.load(place)
    assert tailrace(place, "up").returncode == 0
    for command, line in ((("up",), "kafka was paused; it goes on"), (("broker", "start", "1"), "broker 1 started")):
        broker = next(p for p in stack_processes(paths.state) if "kafka.Kafka" in p.cmdline())
        broker.suspend()
        status = tailrace(place, "status")
        assert re.search(r"kafka +paused ", status.stdout), status.stdout
        assert status.returncode == 1
        mended = tailrace(place, *command)
        assert mended.returncode == 0, mended.stderr
        assert line in mended.stdout
        assert re.search(r"kafka +ready ", tailrace(place, "status").stdout)
    down = tailrace(place, "down")
    assert down.returncode == 0, down.stderr


def test_a_dead_broker_is_named_and_up_starts_the_stack_anew(make_stack: MakeStack) -> None:
    place = make_stack("dead-broker").variables
    paths = StackPaths.load(place)
    assert tailrace(place, "up").returncode == 0
    kill(paths, "kafka.Kafka")
    assert re.search(r"kafka +died, exit -?\d+", until_status_shows(place, "died"))

    mended = tailrace(place, "up")
    assert mended.returncode == 0, mended.stderr
    assert re.search(r"kafka had died, exit -?\d+; the stack restarts", mended.stdout)
    assert tailrace(place, "status").returncode == 0

    head = supervisor_of(paths.state)
    assert head is not None
    head.kill()
    head.wait(timeout=10)
    lost = tailrace(place, "status")
    assert lost.returncode == 1
    assert "lost its supervisor" in lost.stdout
    assert tailrace(place, "down").returncode == 0
    assert stack_processes(paths.state) == []


def test_reset_deletes_the_named_stack_and_nothing_else(make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    place = make_stack("reset").variables
    paths = StackPaths.load(place)
    (paths.runs / "a-run").mkdir(parents=True)
    (paths.data / "warehouse").mkdir(parents=True)
    foreign = paths.state / "my-notes.txt"
    foreign.write_text("not the stack's", encoding="utf-8")
    asked = tailrace(place, "reset")
    assert asked.returncode != 0, "without --yes and without an answer nothing is deleted"
    assert (paths.runs / "a-run").exists()

    done = tailrace(place, "reset", "--yes")
    assert (done.returncode, done.stdout) == (
        0,
        f"Deleted 1 runs and all data in {paths.state}\n",
    )
    assert [path.name for path in paths.state.iterdir()] == [foreign.name]


def test_a_second_run_on_one_stack_is_refused(make_stack: MakeStack) -> None:
    paths = make_stack("two-runs").paths
    with one_run(paths, "first"):
        assert is_measuring(paths)
        refusal = rf"run first \(process {os.getpid()}\) is measuring"
        with pytest.raises(BadInput, match=refusal), one_run(paths, "second"):
            pass
    assert not is_measuring(paths)
    with one_run(paths, "third"):
        assert (paths.run / "run.lock").read_text(encoding="utf-8").startswith("run third")


def test_the_lock_goes_with_its_holder(make_stack: MakeStack) -> None:
    paths = make_stack("killed-run").paths
    paths.run.mkdir(parents=True)
    lock = paths.run / "run.lock"
    holder = subprocess.Popen(["flock", "--no-fork", str(lock), "sleep", "60"], stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while not is_measuring(paths):
            assert time.monotonic() < deadline, "flock did not take the lock"
            time.sleep(0.01)
    finally:
        holder.kill()
        holder.wait()
    with lock.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert not is_measuring(paths)
