# SPDX-License-Identifier: Apache-2.0
"""A claim is tested by a load that was made and struck, not by a run without violations alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from audited import logs
from clickhouse_connect.driver.client import Client

from lab.simulated.model import RATE, SECONDS, Model
from tailrace.certify import checks, faults
from tailrace.certify.certificate import Line
from tailrace.certify.claims import chosen
from tailrace.certify.striking import Struck
from tailrace.certify.trial import Options, checked
from tailrace.stack.api import Endpoints, StackPaths

(CLAIM,) = chosen("no_duplicates")
MOVED = Struck(faults.LEADER_MOVE, "6 partition leaders moved", 1.0, 2.0)
KILLED = Struck(faults.CLIENT_KILL, "load generator 1 killed", 1.0, 2.0)

HALVES = (SECONDS * RATE // 2, SECONDS * RATE // 2)


@pytest.fixture
def options(endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Options:
    monkeypatch.setenv("TAILRACE_WAREHOUSE_URL", endpoints.warehouse_url)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_USER", endpoints.warehouse_user)
    monkeypatch.setenv("TAILRACE_WAREHOUSE_PASSWORD", endpoints.warehouse_password)
    return Options("a", StackPaths.load(), tmp_path / "driver.yaml", None, 60, None, 1, tmp_path)


@pytest.mark.parametrize(
    ("state", "struck", "possible", "verdict", "reason"),
    [
        ("finished", (MOVED,), True, checks.HOLDS, ""),
        ("finished", (), False, checks.HOLDS, ""),
        ("finished", (), True, checks.UNTESTED, "no fault struck while the load went on"),
        ("failed", (MOVED,), True, checks.UNTESTED, "the run is failed: see "),
        ("failed", (MOVED, KILLED), True, checks.HOLDS, ""),
    ],
)
def test_a_claim_is_tested_by_a_whole_load_under_faults(
    client: Client,
    options: Options,
    request: pytest.FixtureRequest,
    state: str,
    struck: tuple[Struck, ...],
    possible: bool,
    verdict: str,
    reason: str,
) -> None:
    run = Model(request.node.callspec.id, failures=0, state=state)
    logs(run, ends=HALVES)
    run.insert(client)
    line = checked(Line(CLAIM, {}, run.run_id, struck=struck), options, possible)
    assert line.verdict == verdict
    assert line.reason.startswith(reason)
    assert bool(line.reason) == bool(reason)


def test_a_violation_counts_in_a_failed_run(client: Client, options: Options) -> None:
    run = Model("broken and failed", failures=0, state="failed")
    run.delivered.append(replace(run.delivered[4], offset=5_000))
    logs(run, ends=HALVES)
    run.insert(client)
    line = checked(Line(CLAIM, {}, run.run_id, struck=(MOVED,)), options, True)
    assert line.verdict == checks.BROKEN
    assert line.counterexample.startswith("duplicate: producer 0,")


def test_a_load_that_did_not_begin_tests_nothing(client: Client, options: Options) -> None:
    class Probed(Model):
        def _phases(self) -> list[list[object]]:
            return [row for row in super()._phases() if row[4] != "measure"]

    run = Probed("probed", failures=0)
    logs(run, ends=HALVES)
    run.insert(client)
    line = checked(Line(CLAIM, {}, run.run_id, struck=(MOVED,)), options, True)
    assert (line.verdict, line.messages > 0) == (checks.UNTESTED, True)
    assert line.reason.startswith("the load did not begin: see ")
