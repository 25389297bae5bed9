# SPDX-License-Identifier: Apache-2.0
"""The plan of a certificate's faults is a pure function of the seed; what strikes is undone."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from tailrace.certify import faults, targets
from tailrace.certify.cluster import Cluster
from tailrace.certify.faults import PlannedFault
from tailrace.certify.striking import Striker
from tailrace.certify.targets import Targets
from tailrace.errors import Failed
from tailrace.marks.reading import Mark
from tailrace.runs.workers import Workers
from tailrace.stack.api import StackPaths

ALL = tuple(faults.KINDS)
MEASURE = "[1] measure 00:01/01:00  sent 5/s"
LATER = "[0] last sends 00:01  sent 0/s"


def test_equal_seeds_plan_equal_faults() -> None:
    assert faults.plan(7, "no_loss", ALL, 60) == faults.plan(7, "no_loss", ALL, 60)
    assert faults.plan(7, "no_loss", ALL, 60) != faults.plan(8, "no_loss", ALL, 60)
    assert faults.plan(7, "no_loss", ALL, 60) != faults.plan(7, "order_per_key", ALL, 60)


@pytest.mark.parametrize("seed", range(20))
def test_faults_follow_each_other_within_the_load(seed: int) -> None:
    planned = faults.plan(seed, "a", ALL, 300)
    assert {fault.kind for fault in planned} == set(ALL)
    assert all(fault.at > 0 and fault.at + fault.seconds < 300 for fault in planned)
    assert [fault.kind for fault in planned].count(faults.CLIENT_KILL) == 1
    others = [fault for fault in planned if fault.kind != faults.CLIENT_KILL]
    assert others[0].kind == ALL[0]
    assert all(one.at + one.seconds < next_.at for one, next_ in pairwise(others))
    lengths = [fault.seconds for fault in planned if fault.kind == faults.BROKER_PAUSE]
    assert min(lengths) < 9 < max(lengths), "both sides of a broker's session"


def test_the_first_kind_strikes_in_the_shortest_load() -> None:
    assert faults.plan(1, "a", ["broker_kill", "leader_move"], 20)[0].kind == "broker_kill"


def made(folder: Path, victims: tuple[int, ...] = (), ours: bool = False) -> Targets:
    cluster = Cluster(StackPaths.load(), folder / "client.properties", ours)
    return Targets(cluster, (), ("topic",), folder, Workers(2, (0, 1)), victims)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (faults.BROKER_KILL, "the brokers are not the stack's own"),
        (faults.BROKER_PAUSE, "the brokers are not the stack's own"),
        (faults.CLIENT_KILL, "no worker of the run only consumes"),
        (faults.LEADER_MOVE, "the cluster has one broker"),
    ],
)
def test_what_cannot_be_made_from_here_has_a_reason(tmp_path: Path, kind: str, why: str) -> None:
    assert made(tmp_path).not_possible(kind) == why


@pytest.fixture
def client(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process whose command line is that of worker 1's load generator."""
    words = ["-jar", "--spool", str(tmp_path / "spool-1")]
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", *words]) as found:
        yield found
        found.kill()


def test_a_paused_client_goes_on_and_a_killed_one_ends(tmp_path: Path, client: "subprocess.Popen[bytes]") -> None:
    struck = made(tmp_path, victims=(1,))
    states = []

    def wait(_seconds: float) -> None:
        while (state := psutil.Process(client.pid).status()) != psutil.STATUS_STOPPED:
            time.sleep(0.01)
        states.append(state)

    text = struck.strike(PlannedFault(0, faults.CLIENT_PAUSE, 8.0, 0.5), wait)
    assert text == "load generator 1 paused for 8.0 s"
    assert states == [psutil.STATUS_STOPPED]
    kill = PlannedFault(0, faults.CLIENT_KILL, 0, 0.5)
    assert struck.strike(kill, wait) == "load generator 1 killed"
    assert client.wait(10) == -signal.SIGKILL
    # It is gone, so the next one does not count.
    assert struck.strike(kill, wait) == ""


def test_a_fault_is_marked_and_counted_only_if_its_target_was_up(tmp_path: Path) -> None:
    class Some(Targets):
        def strike(self, fault: PlannedFault, wait: targets.Wait) -> str:
            if fault.kind == "refused":
                raise Failed("no answer")
            return "" if fault.kind == "down" else f"{fault.kind} struck"

        def not_possible(self, kind: str) -> str:
            return "not here" if kind == "impossible" else ""

    marks: list[Mark] = []
    planned = [PlannedFault(0, kind, 0, 0) for kind in ("down", "up", "impossible", "refused")]
    planned.append(PlannedFault(3600, "late", 0, 0))
    shown: list[str] = []
    with Striker(planned, Some(**vars(made(tmp_path))), marks.append, lambda _line: None) as striker:
        heard = striker.around(shown.append)
        heard("[0] warmup 00:01/00:02")
        assert striker.struck == []
        heard(MEASURE)
        while len(marks) < 1 or "refused" not in striker.missed:
            time.sleep(0.01)
        assert "late" not in striker.missed
        heard(LATER)
        while "late" not in striker.missed:
            time.sleep(0.01)
    assert shown == ["[0] warmup 00:01/00:02", MEASURE, LATER]
    assert [each.text for each in striker.struck] == [mark.text for mark in marks] == ["up struck"]
    assert striker.missed == {
        "down": "its target was not up",
        "impossible": "not here",
        "refused": "no answer",
        "late": "the load had ended",
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="only root cuts connections")
def test_a_connection_is_cut(tmp_path: Path) -> None:
    if why := targets.cannot_cut():
        pytest.skip(why)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as connection, server.accept()[0]:
            assert targets.cut_connections("127.0.0.1", port) == 1
            connection.settimeout(5)
            with pytest.raises(ConnectionAbortedError):
                connection.recv(1)
    assert targets.cut_connections("127.0.0.1", port) == 0
