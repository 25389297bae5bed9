# SPDX-License-Identifier: Apache-2.0
"""A companion runs beside the load: it is ready before, gets the run's words, and ends in order after."""

import sys
from pathlib import Path

import pytest

from tailrace.certify import companion
from tailrace.certify.claims import Claim
from tailrace.errors import Failed
from tailrace.runs import loadgen, planning
from tailrace.runs.loadgen import Inputs
from tailrace.runs.prepared import ALONE, Prepared
from tailrace.stack.api import StackPaths

CLAIM = Claim("a", "A.", "a.yaml", companion="beside")
PROGRAM = """
import pathlib, signal, sys, time
def end(*_):
    pathlib.Path({ended!r}).write_text(" ".join(sys.argv[1:]))
    sys.exit({code})
signal.signal(signal.SIGTERM, end)
print("starting", flush=True)
{before}
print("ready to copy", flush=True)
while True:
    time.sleep(0.01)
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Prepared:
    monkeypatch.setenv("TAILRACE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("TAILRACE_WAREHOUSE_USER", "user")
    monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", "word")
    inputs = Inputs(tmp_path / "w.yaml", tmp_path / "d.yaml", 7, "b:9092")
    return Prepared(StackPaths.load(), inputs, planning.Plan({}), "r-1", False, ALONE)


def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int = 0, before: str = "") -> Path:
    """What runs in place of the load generator; the file that it writes when it ends in order."""
    ended = tmp_path / "ended"
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(ended=str(ended), code=code, before=before))
    monkeypatch.setattr(loadgen, "command", lambda _paths: [sys.executable, str(file)])
    return ended


def test_it_is_ready_before_the_load_and_ends_after_it(
    run: Prepared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ended = program(monkeypatch, tmp_path)
    with companion.beside(CLAIM, run):
        assert not ended.exists()
    words = ended.read_text()
    assert words.startswith(f"beside --workload {tmp_path}/w.yaml --driver {tmp_path}/d.yaml ")
    assert words.endswith("--bootstrap-servers b:9092 --seed 7 --run-id r-1")


@pytest.mark.parametrize(
    ("code", "before", "text"),
    [
        (0, "sys.exit('no such topic')", "the companion beside did not become ready: see "),
        (1, "", "the companion beside ended with exit code 1: see "),
    ],
)
def test_one_that_fails_is_stated(
    run: Prepared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, before: str, text: str
) -> None:
    program(monkeypatch, tmp_path, code, before)
    with pytest.raises(Failed, match=text), companion.beside(CLAIM, run):
        pass
    assert (run.paths.runs / "r-1" / "beside.log").exists()


def test_a_claim_without_one_starts_nothing(run: Prepared) -> None:
    with companion.beside(Claim("a", "A.", "a.yaml"), run):
        assert not run.paths.runs.exists()
