# SPDX-License-Identifier: Apache-2.0
"""Runs that verdicts leave out: one short line per reason."""

import io

from tailrace.experiments import text
from tailrace.experiments.execution import Outcome, Row
from tailrace.experiments.experiment import chosen, published
from tailrace.stack.api import StackPaths

[EXPERIMENT] = chosen(published(StackPaths.load().root), ["feldera"])
RUNS = [f"read-20261122-060022-108e-{number}" for number in range(1, 13)]


def stolen(number: int, share: int) -> Row:
    reason = f"the machine was noisy: {share} % of its CPU time was stolen"
    return {"run_id": RUNS[number - 1], "reason": reason}


def row(**more: object) -> Row:
    outcome = {"system": "kafka", "verdict": "holds", "authors": "holds", "reason": "it does"}
    return {"claim": "a claim", **outcome, **more}


def test_each_kind_of_reason_is_a_line_with_the_span_of_its_numbers() -> None:
    late = {"run_id": RUNS[2], "reason": "the load generator was the limit: 63 ms late"}
    found = [stolen(11, 6), stolen(2, 32), late]
    assert list(text.left_out(Outcome(EXPERIMENT, RUNS, [row()], [], found))) == [
        "3 of 12 runs left out (--restart runs all again)",
        "the machine was noisy: 6 to 32 % of its CPU time was stolen: …2, …11",
        "the load generator was the limit: 63 ms late: …3",
    ]


def test_names_keep_what_tells_them_apart() -> None:
    runs = ["producers-4-57e4-1", "producers-50-13f6-1"]
    found = [{"run_id": runs[1], "reason": "the run is failed"}]
    *_, line = text.left_out(Outcome(EXPERIMENT, runs, [row()], [], found))
    assert line == "the run is failed: …50-13f6-1"
    [alone] = runs[1:]
    *_, line = text.left_out(Outcome(EXPERIMENT, [alone], [row()], [], found))
    assert line == "the run is failed: producers-50-13f6-1"


def test_nothing_is_stated_where_each_row_is_of_a_run_or_no_run_is_left_out() -> None:
    own = [row(run_id=RUNS[0])]
    assert list(text.left_out(Outcome(EXPERIMENT, RUNS, own, [], [stolen(1, 6)]))) == []
    assert list(text.left_out(Outcome(EXPERIMENT, RUNS, [row()], []))) == []


def test_a_table_of_several_claims_states_it_once() -> None:
    out = io.StringIO()
    claims = [row(claim=f"claim {number}") for number in range(17)]
    text.verdicts([Outcome(EXPERIMENT, RUNS, claims, [], [stolen(1, 6)])], out)
    assert out.getvalue().count("left out") == 1
    last = "  the machine was noisy: 6 % of its CPU time was stolen: …1\n"
    assert out.getvalue().endswith(last)
