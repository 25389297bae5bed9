# SPDX-License-Identifier: Apache-2.0
"""Bounds compared with stored rows whose numbers Python computed separately."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from lab.simulated.model import MEASURE_S, RATE, Model, nearest_rank
from tailrace.audit.verdict import Failure, Totals, Verdict
from tailrace.queries import catalogue
from tailrace.runs import slo

PERCENTS = {"p50": 50.0, "p75": 75.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p99.9": 99.9}


def verdict(run_id: str, *failures: Failure) -> Verdict:
    return Verdict(run_id, Totals(0, 0, 0, 0, 0, 0, 0), 0, failures, ())


def bound(key: str, value: float, direction: str = "at_most") -> dict[str, Any]:
    return {"key": key, "value": value, "direction": direction, "text": f"<{value}>"}


def judged(client: Client, model: Model, *bounds: dict[str, Any]) -> list[slo.Bound]:
    return slo.judge(client, {"slo": bounds}, verdict(model.run_id))


def values(client: Client, run_id: str) -> dict[str, float]:
    question = catalogue.load("slo_values")
    rows = client.query(question.text, parameters=question.fill({"run_id": run_id})).result_rows
    return {str(key): float(value) for key, value in rows}


@pytest.mark.parametrize(
    ("stage", "of"),
    [
        ("publish", lambda m: m.ack - m.intended),
        ("publishDelay", lambda m: m.delay),
        ("publishService", lambda m: m.ack - m.intended - m.delay),
    ],
)
def test_latencies_are_exact(client: Client, golden: Model, stage: str, of: Callable[[Any], int]) -> None:
    found = values(client, golden.run_id)
    expected = [of(m) for m in golden.published if m.measured]
    for name, percent in PERCENTS.items():
        assert found[f"{stage}.{name}"] == nearest_rank(expected, percent)
    assert found[f"{stage}.max"] == max(expected)


def test_rates_and_errors_are_of_the_measure_phase(client: Client, golden: Model) -> None:
    found = values(client, golden.run_id)
    assert found["published"] == pytest.approx(RATE, rel=0.05)
    assert found["endToEnd.max"] == max(golden.measured("receive"))
    assert found["errorRate"] == golden.failures / (RATE * MEASURE_S + golden.failures)
    assert "backlogDrain" not in found


def test_a_bound_is_kept_up_to_its_value(client: Client, golden: Model) -> None:
    worst = max(golden.measured("receive"))
    kept, broken = judged(client, golden, bound("endToEnd.max", worst), bound("endToEnd.max", worst - 1))
    assert (kept.kept, broken.kept) == (True, False)
    assert kept.shown == f"{worst / 1000:.3f} ms"
    assert slo.word([kept]) == "kept"
    assert slo.word([kept, broken]) == "broken"
    (slow,) = judged(client, golden, bound("published", 1e6, "at_least"))
    assert (slow.kept, float(slow.shown)) == (False, pytest.approx(RATE, rel=0.05))


def test_nothing_measured_keeps_no_bound(client: Client, golden: Model) -> None:
    (drain,) = judged(client, golden, bound("backlogDrain", 1e12))
    assert (drain.measured, drain.kept, drain.shown) == (None, False, "-")
    out = io.StringIO()
    slo.show([drain], out)
    assert "BROKEN" in out.getvalue()


def test_what_is_lost_or_twice_there_comes_from_the_audit(client: Client, golden: Model) -> None:
    failures = (
        Failure("missing", "t/0 subscription 0", 0, 4, ""),
        Failure("missing", "t/1 subscription 0", 0, 3, ""),
        Failure("duplicated", "t/0 subscription 0", 0, 2, ""),
    )
    plan = {"slo": [bound("lost", 6), bound("duplicates", 2)]}
    lost, duplicates = slo.judge(client, plan, verdict(golden.run_id, *failures))
    assert (lost.measured, lost.kept) == (7, False)
    assert (duplicates.measured, duplicates.kept) == (2, True)


def test_a_message_that_several_checks_miss_is_lost_once(client: Client, golden: Model) -> None:
    failures = (
        Failure("missing", "t/0 subscription 0", 0, 2, ""),
        Failure("log_end", "t/0", 0, 5, ""),
        Failure("reread_lost", "t/1", 0, 3, ""),
        Failure("missing", "t/1 subscription 0", 0, 1, ""),
        Failure("missing", "t/1 subscription 1", 0, 1, ""),
    )
    (lost,) = slo.judge(client, {"slo": [bound("lost", 7)]}, verdict(golden.run_id, *failures))
    assert (lost.measured, lost.kept) == (5 + 3, False)


def test_copies_in_the_log_are_duplicates_whether_allowed_or_not(client: Client, golden: Model) -> None:
    found = replace(
        verdict(golden.run_id, Failure("written_twice", "t/0 subscription 0", 0, 2, "")), duplicates_allowed=4
    )
    (duplicates,) = slo.judge(client, {"slo": [bound("duplicates", 5)]}, found)
    assert (duplicates.measured, duplicates.kept) == (2 + 4, False)


def test_what_no_broker_promised_to_keep_is_lost_too(client: Client, golden: Model) -> None:
    unanswered = replace(verdict(golden.run_id), not_received=3)
    assert unanswered.passed
    (lost,) = slo.judge(client, {"slo": [bound("lost", 2)]}, unanswered)
    assert (lost.measured, lost.kept) == (3, False)


def test_no_bounds_no_question() -> None:
    assert slo.word(slo.judge(None, {}, verdict("none"))) == "-"  # type: ignore[arg-type]
