# SPDX-License-Identifier: Apache-2.0
"""Run ids, and the plan of a run."""

import re

import pytest

from tailrace.errors import BadInput
from tailrace.runs import planning

PLAN = planning.Plan(
    {
        "workload": "so many/words",
        "topics": [{"name": "RUN_ID-0000000", "partitions": 4}],
        "run_id": "RUN_ID",
    }
)


def test_a_made_up_id_begins_with_the_workload() -> None:
    first, second = (planning.new_run_id(PLAN, None) for _ in range(2))
    assert re.fullmatch(r"so-many-words-\d{8}-\d{6}-[0-9a-f]{4}", first)
    assert first != second


def test_a_given_id_is_taken() -> None:
    assert planning.new_run_id(PLAN, "night.run_7") == "night.run_7"


@pytest.mark.parametrize("wanted", ["", "a b", "a/b", "x" * 129, "last", "ä", "..", ".x", "-x", "_"])
def test_an_id_that_cannot_be_is_refused(wanted: str) -> None:
    with pytest.raises(BadInput, match="--run-id"):
        planning.new_run_id(PLAN, wanted)


def test_the_plan_of_a_run_bears_its_id() -> None:
    plan = planning.for_run(PLAN, "r1", 4)
    assert (plan["run_id"], plan["topics"][0]["name"]) == ("r1", "r1-0000000")
    assert plan["topics"][0]["partitions"] == 4
