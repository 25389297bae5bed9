# SPDX-License-Identifier: Apache-2.0
"""How signals reach the load generator: in a child, because they are sent to this very program."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

# Ends like the load generator: 130 after a SIGINT that it counts; prints its process group first.
GENERATOR = """
import os, signal, sys, time
count = 0
def stop(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, stop)
print('pid', os.getpid(), os.getpgrp(), flush=True)
print('a warning', file=sys.stderr, flush=True)
while not count or {stubborn}:
    time.sleep(0.01)
deadline = time.monotonic() + 0.5
while time.monotonic() < deadline:
    time.sleep(0.01)
print('interrupts', count, flush=True)
sys.exit(130)
"""
PARENT = """
import os, sys
from pathlib import Path
from tailrace.runs.process import LoadGenerator
generator = LoadGenerator(
    [sys.executable, '-c', sys.argv[1]], Path(sys.argv[2]), lambda line: print(line, flush=True),
    dict(os.environ, TAILRACE_STACK='here'),
)
code = generator.run()
print('code', code, 'interrupted', generator.interrupted, list(generator.stderr_tail), flush=True)
"""


def start(log: Path, generator: str) -> "subprocess.Popen[str]":
    # Ignored, as a shell script's background jobs get it: it must still work.
    return subprocess.Popen(
        [sys.executable, "-c", PARENT, generator, str(log)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )


def first_line(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def test_output_is_passed_on_and_logged(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = "import sys; print('one'); print('two', file=sys.stderr); sys.exit(3)"
    process = start(log, program)
    output, _ = process.communicate(timeout=30)
    assert output == "one\ncode 3 interrupted False ['two']\n"
    assert sorted(log.read_text().split()) == ["one", "two"]


def test_ctrl_c_reaches_the_load_generator_once(tmp_path: Path) -> None:
    process = start(tmp_path / "log", GENERATOR.format(stubborn=False))
    _, pid, group = first_line(process)
    assert int(group) == int(pid) != process.pid
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the whole foreground group
    output, _ = process.communicate(timeout=30)
    assert "interrupts 1\n" in output
    assert "code 130 interrupted True ['a warning']" in output


def test_a_second_ctrl_c_kills_it(tmp_path: Path) -> None:
    process = start(tmp_path / "log", GENERATOR.format(stubborn=True))
    _, pid, _ = first_line(process)
    os.kill(process.pid, signal.SIGINT)
    assert first_line(process)[0] == "stopping:"
    os.kill(process.pid, signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert "code 130 interrupted True" in output
    assert gone(int(pid))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV])
def test_it_ends_when_this_command_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    process = start(tmp_path / "log", GENERATOR.format(stubborn=True))
    _, pid, _ = first_line(process)
    assert psutil.Process(int(pid)).environ()["TAILRACE_STACK"] == "here"
    os.kill(process.pid, how)
    assert process.wait(timeout=30) == -how
    assert gone(int(pid))


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False
