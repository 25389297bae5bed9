# SPDX-License-Identifier: Apache-2.0
"""How a run ended decides its audit too, however well its messages are stored."""

import json

import pytest
from audited import Tailrace, assert_fails
from clickhouse_connect.driver.client import Client

from lab.simulated.model import Model
from tailrace.audit.verdict import RULES, Totals, Verdict


def ended(model: Model, state: str, *reasons: tuple[str, str]) -> None:
    model.state = state
    model.events = [(9, "error", name, line) for name, line in reasons]
    model.ledger["run_events", "recorded", ""] += len(reasons)


def test_a_failed_run_never_passes(tailrace: Tailrace, client: Client, model: Model) -> None:
    ended(model, "failed", ("run_failed", "producer 0: OutOfMemoryError"))
    model.insert(client)
    line = "incomplete: the run failed: producer 0: OutOfMemoryError"
    assert_fails(tailrace, client, model, "state", line)


def test_a_failed_run_without_a_recorded_reason(tailrace: Tailrace, client: Client, model: Model) -> None:
    ended(model, "failed")
    model.insert(client)
    assert_fails(tailrace, client, model, "state", "the run failed: no worker recorded a reason")


def test_an_aborted_run_names_its_bound(tailrace: Tailrace, client: Client, model: Model) -> None:
    reason = "abortWhen.behind: a producer was 31 s behind"
    ended(model, "failed", ("run_aborted", reason))
    model.insert(client)
    assert_fails(tailrace, client, model, "state", f"incomplete: the run was aborted: {reason}")


def test_a_run_that_goes_on_is_not_judged(tailrace: Tailrace, client: Client, model: Model) -> None:
    ended(model, "running")
    model.insert(client)
    assert_fails(tailrace, client, model, "state", "the run has not ended")


def test_an_interrupted_run_passes_as_far_as_it_went(tailrace: Tailrace, client: Client, model: Model) -> None:
    ended(model, "interrupted")
    model.insert(client)
    result = tailrace("audit", model.run_id)
    assert result.exit_code == 0, result.output
    assert "note: the run was interrupted before its plan was complete" in result.stdout


@pytest.mark.parametrize(
    ("rules", "received", "agrees"), [(RULES, 9, True), (RULES - 1, 9, True), (RULES - 1, 8, False)]
)
def test_verdicts_of_other_rules_are_compared_by_their_counts(rules: int, received: int, agrees: bool) -> None:
    totals = Totals(9, 9, 0, 9, 0, 9, 9)
    verdict = Verdict("run", totals, 2, (), ())
    notes = [] if rules == RULES else ["a note of 7 messages that no check of today makes"]
    stored = json.loads(verdict.to_json()) | {"rules": rules, "notes": notes}
    stored["totals"]["received"] = received
    assert verdict.agrees_with(json.dumps(stored)) is agrees
