# SPDX-License-Identifier: Apache-2.0
"""A claim is tested by a load that was made and struck, not by a run without violations alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from audited import happened, logs
from clickhouse_connect.driver.client import Client

from lab.simulated.copied import Copied
from lab.simulated.model import RATE, SECONDS, Model
from lab.simulated.transacted import ABORTED, COMMITTED, IN_DOUBT, Transacted
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
    return Options("a", StackPaths.load(), tmp_path / "driver.yaml", None, 60, None, 1, tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("state", "struck", "verdict", "reason"),
    [
        ("finished", (MOVED,), checks.HOLDS, ""),
        ("finished", (), checks.UNTESTED, "no fault struck while the load went on"),
        ("failed", (MOVED,), checks.UNTESTED, "the run is failed: see "),
        ("failed", (MOVED, KILLED), checks.HOLDS, ""),
    ],
)
def test_a_claim_is_tested_by_a_whole_load_under_faults(
    client: Client,
    options: Options,
    request: pytest.FixtureRequest,
    state: str,
    struck: tuple[Struck, ...],
    verdict: str,
    reason: str,
) -> None:
    run = Model(request.node.callspec.id, failures=0, state=state)
    logs(run, ends=HALVES)
    run.insert(client)
    line = checked(Line(CLAIM, {}, run.run_id, struck=struck), options)
    assert line.verdict == verdict, line
    assert line.reason.startswith(reason)
    assert bool(line.reason) == bool(reason)


def test_a_violation_counts_in_a_failed_run(client: Client, options: Options) -> None:
    run = Model("broken and failed", failures=0, state="failed")
    run.delivered.append(replace(run.delivered[4], offset=5_000))
    logs(run, ends=HALVES)
    run.insert(client)
    line = checked(Line(CLAIM, {}, run.run_id, struck=(MOVED,)), options)
    assert line.verdict == checks.BROKEN
    assert line.counterexample.startswith("duplicate: producer 0,")


def test_a_load_that_did_not_begin_tests_nothing(client: Client, options: Options) -> None:
    class Probed(Model):
        def _phases(self) -> list[list[object]]:
            return [row for row in super()._phases() if row[4] != "measure"]

    run = Probed("probed", failures=0)
    logs(run, ends=HALVES)
    run.insert(client)
    line = checked(Line(CLAIM, {}, run.run_id, struck=(MOVED,)), options)
    assert (line.verdict, line.messages > 0) == (checks.UNTESTED, True)
    assert line.reason.startswith("the load did not begin: see ")


@pytest.mark.parametrize("claim", ["no_loss", "no_duplicates"])
def test_rows_that_are_not_stored_leave_a_claim_untested(client: Client, options: Options, claim: str) -> None:
    run = Model(f"not stored {claim}", failures=0)
    logs(run, ends=HALVES)
    run.published = run.published[:300]
    run.insert(client)
    line = checked(Line(chosen(claim)[0], {}, run.run_id, struck=(MOVED,)), options)
    assert (line.verdict, line.messages) != (checks.HOLDS, 300)
    assert line.reason == "worker 0 publishes: 300 of 2,200 recorded rows are stored"


def test_messages_that_nobody_received_leave_no_duplicates_untested(client: Client, options: Options) -> None:
    run = Model("nothing received", failures=0)
    logs(run, ends=HALVES)
    run.delivered = []
    for kind in ("received", "recorded"):
        run.ledger["deliveries", kind, ""] = 0
    run.insert(client)
    line = checked(Line(CLAIM, {}, run.run_id, struck=(MOVED,)), options)
    assert line.verdict == checks.UNTESTED
    assert line.reason.startswith("unread: 2,200 messages, the first: producer 0, intended send 2026-01-15 10:00:00")


def test_order_is_untested_for_messages_that_were_not_received(client: Client, options: Options) -> None:
    (order,) = chosen("order_per_key")
    run = Model("order unread", failures=0)
    run.delivered = run.delivered[:1_000]
    for kind in ("received", "recorded"):
        run.ledger["deliveries", kind, ""] = 1_000
    happened(run, (5, "rebalance", "assigned", "{}"))
    run.insert(client)
    line = checked(Line(order, {}, run.run_id, struck=(MOVED,)), options)
    assert (line.verdict, line.reason) == (checks.UNTESTED, "1,000 messages were checked, and the ledger has 2,200")
    # What a killed client received last is not stored.
    run = Model("order killed", failures=0, state="failed")
    run.delivered = run.delivered[:1_000]
    run.ledger["deliveries", "lost", "killed"] = 3
    happened(run, (5, "rebalance", "assigned", "{}"))
    run.insert(client)
    line = checked(Line(order, {}, run.run_id, struck=(KILLED,)), options)
    assert (line.verdict, line.reason) == (checks.HOLDS, "")
    assert checked(replace(line, struck=(MOVED,)), options).verdict == checks.UNTESTED


@pytest.mark.parametrize("second", [-1, 5])
def test_order_needs_a_rebalance_under_load(client: Client, options: Options, second: int) -> None:
    (order,) = chosen("order_per_key")
    run = Model(f"rebalanced at {second}", failures=0)
    happened(run, (second, "rebalance", "assigned", "{}"))
    run.insert(client)
    line = checked(Line(order, {}, run.run_id, struck=(MOVED,)), options)
    assert line.reason == ("" if second > 0 else "no group was rebalanced while the load went on")
    assert line.verdict == (checks.HOLDS if second > 0 else checks.UNTESTED)


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ((COMMITTED, ABORTED), ""),
        ((COMMITTED, COMMITTED), "no acknowledged message was in an aborted transaction"),
        ((IN_DOUBT, IN_DOUBT), "no acknowledged message was in a committed transaction"),
        ((IN_DOUBT, ABORTED), "no acknowledged message was in a committed transaction"),
    ],
)
def test_isolation_needs_committed_and_aborted_transactions(
    client: Client, options: Options, outcomes: tuple[str, str], reason: str
) -> None:
    (isolation,) = chosen("read_committed")
    run = Transacted(f"isolation-{'-'.join(outcomes)}")
    for message in run.published:
        key = run.transaction(message)
        if outcomes[key[1] % 2] != COMMITTED:
            run.outcomes[key] = outcomes[key[1] % 2]
    run.delivered = [m for m in run.delivered if outcomes[run.transaction(m)[1] % 2] == COMMITTED]
    run.insert(client)
    line = checked(Line(isolation, {}, run.run_id, struck=(MOVED,)), options)
    assert line.reason == reason
    assert line.verdict == (checks.UNTESTED if reason else checks.HOLDS), line.counterexample


def test_a_copy_needs_an_instance_that_was_replaced(client: Client, options: Options) -> None:
    (copies,) = chosen("transform_exactly_once")
    run = Copied("hop-replaced")
    run.insert(client)
    line = Line(copies, {}, run.run_id, struck=(MOVED,))
    assert checked(line, options, replacements=1).verdict == checks.HOLDS
    line = checked(line, options)
    assert line.verdict == checks.UNTESTED
    assert line.reason == "no instance of the companion was replaced in a transaction"
