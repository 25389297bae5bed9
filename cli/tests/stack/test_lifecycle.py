# SPDX-License-Identifier: Apache-2.0
"""Starting and stopping a real stack of its own: nothing is ever left behind."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lab.stand.fixtures import MakeStack
from tailrace.errors import BadInput, Failed
from tailrace.stack.api import StackPaths, down, is_up, up
from tailrace.stack.processes import MARK, stack_processes, supervisor_of

COMMAND = str(Path(sys.executable).with_name("tailrace"))


def names(paths: StackPaths) -> dict[int, str]:
    """Of the stack's processes by id, but for those that end just now."""
    found = {}
    for process in stack_processes(paths.state):
        with contextlib.suppress(psutil.NoSuchProcess):
            found[process.pid] = process.name()
    return found


def left_behind(paths: StackPaths) -> list[str]:
    """Processes that carry the stack's mark, or name its state folder in their arguments."""
    found = names(paths)
    for process in psutil.process_iter(["pid", "cmdline"]):
        if any(str(paths.state) in word for word in process.info["cmdline"] or []):
            found[process.info["pid"]] = " ".join(process.info["cmdline"])
    return [f"{pid} {name}" for pid, name in found.items()]


def cgroup_of_broker(paths: StackPaths) -> list[str]:
    """The broker's control group, or none, with a message, where that is not permitted."""
    file = paths.run / "broker" / "cgroup"
    log = (paths.logs / "kafka.log").read_text(encoding="utf-8")
    assert file.exists() != ("the broker's own pressure is not measured" in log)
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def tailrace(place: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        env=os.environ | place,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_up_status_down_and_up_again_on_the_same_data(make_stack: MakeStack) -> None:
    place = make_stack("cycle").variables
    paths = StackPaths.load(place)
    started = tailrace(place, "up")
    assert started.returncode == 0, started.stderr
    for name in ("kafka", "collector", "warehouse", "migrate", "node-exporter"):
        assert f"{name} ready after" in started.stdout
    again = tailrace(place, "up")
    assert (again.returncode, again.stdout) == (0, "The stack was up already.\n")
    shown = tailrace(place, "status")
    assert shown.returncode == 0
    assert str(paths.ports["WAREHOUSE_PORT"]) in shown.stdout

    groups = [Path(line) for line in cgroup_of_broker(paths)]
    assert all(group.is_dir() for group in groups)

    stopped = tailrace(place, "down")
    assert not any(group.exists() for group in groups)
    assert (stopped.returncode, stopped.stdout.splitlines()[-1]) == (0, "The stack is down.")
    assert "killed" not in stopped.stdout
    assert left_behind(paths) == []
    assert tailrace(place, "status").returncode == 1

    # The supervisor is lost with all its orphans running, and its socket stays: as after a crash.
    up(paths)
    supervisor = supervisor_of(paths.state)
    assert supervisor is not None
    supervisor.kill()
    supervisor.wait(timeout=10)
    assert len(left_behind(paths)) >= 4
    lines: list[str] = []
    assert up(paths, lines.append)
    assert lines[0] == "an earlier stack lost its supervisor"
    assert not any(line.startswith("killed") for line in lines)
    assert is_up(paths)
    assert down(paths) == []
    assert left_behind(paths) == []


def test_down_stops_a_load_generator_before_the_stack(make_stack: MakeStack) -> None:
    place = make_stack("orphan").variables
    paths = StackPaths.load(place)
    assert tailrace(place, "up").returncode == 0
    # Like an orphaned one: not the supervisor's, and it needs the collector until its end.
    port = paths.ports["COLLECTOR_OTLP_HTTP_PORT"]
    script = (
        "import signal, socket, sys, time\n"
        "def ship(*_):\n"
        "    time.sleep(3)\n"
        f"    socket.create_connection(('127.0.0.1', {port}))\n"
        "    sys.exit(7)\n"
        "signal.signal(signal.SIGTERM, ship)\nprint('ready', flush=True)\ntime.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {MARK: str(paths.state)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as orphan:
        assert orphan.stdout is not None
        orphan.stdout.readline()
        with subprocess.Popen([COMMAND, "down"], env=os.environ | place) as command:
            assert orphan.wait(timeout=60) == 7
            assert command.wait(timeout=90) == 0
    assert left_behind(paths) == []


def test_a_part_that_fails_is_named_with_its_log_and_everything_stops(make_stack: MakeStack) -> None:
    place = make_stack("broken").variables
    paths = StackPaths.load(place)
    # Kafka believes its folder to be formatted and finds it empty.
    (paths.data / "kafka").mkdir(parents=True)
    (paths.data / "kafka.formatted").touch()
    with pytest.raises(Failed) as raised:
        up(paths)
    message = str(raised.value)
    assert message.startswith("kafka ended with exit code 1\n")
    assert "meta.properties" in message
    assert left_behind(paths) == []


def test_ctrl_c_during_up_leaves_nothing(make_stack: MakeStack) -> None:
    place = make_stack("interrupted").variables
    paths = StackPaths.load(place)
    with subprocess.Popen(
        [COMMAND, "up"], env=os.environ | place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as command:
        deadline = time.monotonic() + 60
        while "java" not in names(paths).values():
            assert time.monotonic() < deadline
            assert command.poll() is None
            time.sleep(0.02)
        command.send_signal(signal.SIGINT)
        assert command.wait(timeout=90) == 130
    assert left_behind(paths) == []


def test_busy_port_is_exit_code_2_and_starts_nothing(make_stack: MakeStack) -> None:
    place = make_stack("busy").variables
    paths = StackPaths.load(place)
    with socket.create_server(("127.0.0.1", paths.ports["KAFKA_PORT"])):
        result = tailrace(place, "up")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert f"port {paths.ports['KAFKA_PORT']} (KAFKA_PORT in " in result.stderr
    assert f"process {os.getpid()} (" in result.stderr
    assert left_behind(paths) == []


def test_under_2_gib_free_is_refused(make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = make_stack("full").paths
    monkeypatch.setattr("tailrace.stack.preflight.MIN_FREE_BYTES", 2**62)
    with pytest.raises(BadInput, match="GiB free, at least 2 GiB needed"):
        up(paths)
    assert left_behind(paths) == []


@pytest.fixture
def stubborn(make_stack: MakeStack, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """The place of a stack whose only process ignores SIGTERM."""
    place = make_stack(request.node.name).variables
    mark = {MARK: place["TAILRACE_STATE"]}
    script = "trap '' TERM; echo ready; while :; do sleep 1; done"
    with subprocess.Popen(["/bin/sh", "-c", script], env=os.environ | mark, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield place
        process.kill()


def test_down_kills_a_straggler_and_states_it(stubborn: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tailrace.stack.lifecycle._STOP_TIMEOUT_S", 0.5)
    paths = StackPaths.load(stubborn)
    lines = down(paths)
    assert any(re.fullmatch(r"killed sh, process \d+, which had not stopped", x) for x in lines)
    assert left_behind(paths) == []


def test_ctrl_c_during_down_leaves_nothing(stubborn: dict[str, str]) -> None:
    with subprocess.Popen([COMMAND, "down"], env=os.environ | stubborn, stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        assert command.stdout.readline().startswith("stopping ")
        command.send_signal(signal.SIGINT)
        assert command.wait(timeout=30) == 130
    assert left_behind(StackPaths.load(stubborn)) == []


def test_down_without_a_stack_is_no_error(make_stack: MakeStack) -> None:
    assert down(make_stack("never").paths) == []
