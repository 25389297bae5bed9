# SPDX-License-Identifier: Apache-2.0
"""The plan of a certificate's faults is a pure function of the seed; what strikes is undone."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from tailrace.certify import claims, faults, targets
from tailrace.certify.claims import Claim
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


@pytest.mark.parametrize("claim", claims.all_claims(), ids=lambda claim: claim.name)
def test_the_shortest_load_has_each_kind_of_a_claim(claim: Claim) -> None:
    for seed in range(50):
        planned = faults.plan(seed, claim.name, claim.faults, faults.least_s(claim.faults))
        assert {fault.kind for fault in planned} == set(claim.faults)
        assert planned[0].kind == claim.faults[0]
        slots = pairwise(planned)
        assert all(one.at + one.seconds + faults.TAKES_S.get(one.kind, 0) < next_.at for one, next_ in slots)


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


class Some(Targets):
    """Targets on which each kind of fault does what its name states."""

    def strike(self, fault: PlannedFault, wait: targets.Wait, interrupted: targets.Interrupted = lambda: False) -> str:
        if fault.kind == "refused":
            raise Failed("no answer")
        if fault.kind == "broken":
            raise ValueError("not this")
        if fault.kind == "long":
            wait(3600)
            return f"long struck, interrupted {interrupted()}"
        return "" if fault.kind == "down" else f"{fault.kind} struck"

    def not_possible(self, kind: str) -> str:
        return "not here" if kind == "impossible" else ""


def test_every_kind_of_a_claim_struck_or_has_a_reason(tmp_path: Path) -> None:
    (claim,) = claims.chosen("order_per_key")
    planned = faults.plan(7, claim.name, claim.faults, 30)
    assert {each.kind for each in planned} < set(claim.faults), "too short for all of them"
    made_here = Striker(planned, claim.faults, Some(**vars(made(tmp_path))), lambda _mark: None, lambda _line: None)
    heard = made_here.around(lambda _line: None)
    heard(MEASURE)
    until(lambda: made_here.struck)
    heard(LATER)
    made_here.stop()
    struck = {each.kind for each in made_here.struck}
    assert struck | set(made_here.missed) == set(claim.faults)
    assert not struck & set(made_here.missed)
    assert "the load was too short for it" in made_here.missed.values()


def striker(folder: Path, planned: list[PlannedFault], *more: str, marks: list[Mark] | None = None) -> Striker:
    kinds = [*dict.fromkeys(fault.kind for fault in planned), *more]
    keep = [] if marks is None else marks
    return Striker(planned, kinds, Some(**vars(made(folder))), keep.append, lambda _line: None)


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_fault_is_marked_and_counted_only_if_its_target_was_up(tmp_path: Path) -> None:
    marks: list[Mark] = []
    planned = [PlannedFault(0, kind, 0, 0) for kind in ("down", "up", "refused")]
    planned.append(PlannedFault(3600, "late", 0, 0))
    shown: list[str] = []
    with striker(tmp_path, planned, "impossible", "unplanned", marks=marks) as made_here:
        heard = made_here.around(shown.append)
        heard("[0] warmup 00:01/00:02")
        assert made_here.struck == []
        assert made_here.missed["up"] == "the load did not begin"
        heard(MEASURE)
        until(lambda: marks and made_here.missed["refused"] == "no answer")
        heard(LATER)
    assert shown == ["[0] warmup 00:01/00:02", MEASURE, LATER]
    assert [each.text for each in made_here.struck] == [mark.text for mark in marks] == ["up struck"]
    assert made_here.missed == {
        "down": "its target was not up",
        "impossible": "not here",
        "refused": "no answer",
        "late": "the load had ended",
        "unplanned": "the load was too short for it",
    }


@pytest.mark.parametrize("line", ["stopping: the load generator ships what it has", "[1] stopping: it ships"])
def test_an_interrupt_ends_the_faults_at_once(tmp_path: Path, line: str) -> None:
    planned = [PlannedFault(0, "long", 3600, 0), PlannedFault(0, "next", 0, 0)]
    made_here = striker(tmp_path, planned)
    heard = made_here.around(lambda _line: None)
    heard(MEASURE)
    heard(line)
    made_here.stop()
    assert [each.text for each in made_here.struck] in ([], ["long struck, interrupted True"])
    assert made_here.missed["next"] == "the certificate was interrupted"


def test_the_faults_end_with_a_load_that_died_without_a_word(tmp_path: Path) -> None:
    made_here = striker(tmp_path, [PlannedFault(0, "long", 3600, 0), PlannedFault(3600, "next", 0, 0)])
    made_here.around(lambda _line: None)(MEASURE)
    made_here.stop()
    assert made_here.missed["next"] == "the load had ended"


def test_an_unforeseen_error_is_the_reason_that_later_faults_are_missing(tmp_path: Path) -> None:
    planned = [PlannedFault(0, kind, 0, 0) for kind in ("up", "broken", "next", "up")]
    made_here = striker(tmp_path, planned)
    made_here.around(lambda _line: None)(MEASURE)
    until(lambda: made_here.broke)
    made_here.stop()
    assert [each.kind for each in made_here.struck] == ["up"]
    assert made_here.broke == "the faults ended at broken: ValueError: not this; 2 later not made"
    assert made_here.missed == {"broken": made_here.broke, "next": made_here.broke}


def test_a_fault_behind_one_that_overran_gives_way_to_a_kind_that_has_not_struck(tmp_path: Path) -> None:
    # An hour late: as if the first one had taken that long.
    planned = [PlannedFault(at, kind, 0, 0) for at, kind in ((-3600, "a"), (-3500, "a"), (-3400, "b"), (-3300, "a"))]
    made_here = striker(tmp_path, planned)
    heard = made_here.around(lambda _line: None)
    heard(MEASURE)
    until(lambda: len(made_here.struck) == 3)
    made_here.stop()
    assert [each.kind for each in made_here.struck] == ["a", "b", "a"]


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
