# SPDX-License-Identifier: Apache-2.0
"""The state of a campaign on disk."""

from dataclasses import replace
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.runs import campaign_state
from tailrace.runs.campaign_state import EndedRun
from tailrace.runs.loadgen import Inputs
from tailrace.runs.planning import Plan
from tailrace.stack.api import StackPaths

PLAN = Plan({"workload": "a sweep"})


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    return replace(StackPaths.load(), state=tmp_path / "state")


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    (tmp_path / "w.yaml").write_text("topics: 1\n")
    (tmp_path / "d.yaml").write_text("replicationFactor: 1\n")
    return Inputs(tmp_path / "w.yaml", tmp_path / "d.yaml", None, None)


def test_what_is_done_is_found_again(paths: StackPaths, inputs: Inputs) -> None:
    state = campaign_state.load(paths, inputs, PLAN, None)
    assert state.name.startswith("a-sweep-")
    done = EndedRun(1, 0, f"{state.name}-1", 1, {"audit": "pass", "publish_p99_us": 5})
    state.with_next_try().finished(done)
    again = campaign_state.load(paths, inputs, PLAN, None)
    assert (again.name, again.tries) == (state.name, 1)
    assert again.find(1, 0) == done
    assert again.find(0, 0) is None
    assert again.find(1, 1) is None


def test_another_text_or_option_is_another_campaign(paths: StackPaths, inputs: Inputs) -> None:
    state = campaign_state.load(paths, inputs, PLAN, "mine").with_next_try()
    assert campaign_state.load(paths, inputs, PLAN, None).name == "mine"
    assert campaign_state.load(paths, replace(inputs, seed=7), PLAN, None).tries == 0
    inputs.driver.write_text("replicationFactor: 3\n")
    assert campaign_state.load(paths, inputs, PLAN, None).name != state.name


def test_a_campaign_is_forgotten(paths: StackPaths, inputs: Inputs) -> None:
    campaign_state.load(paths, inputs, PLAN, "mine").with_next_try()
    campaign_state.forget(paths, inputs)
    campaign_state.forget(paths, inputs)
    assert campaign_state.load(paths, inputs, PLAN, "other").name == "other"


@pytest.mark.parametrize("text", ["", "[]", '{"name": "x"}', '{"name": "x", "tries": 1, "done": 5}'])
def test_a_damaged_state_is_bad_input(paths: StackPaths, inputs: Inputs, text: str) -> None:
    state = campaign_state.load(paths, inputs, PLAN, "mine").with_next_try()
    state.file.write_text(text)
    with pytest.raises(BadInput, match="--restart"):
        campaign_state.load(paths, inputs, PLAN, None)


def test_sides_to_compare_are_the_sound_runs_of_each_point(paths: StackPaths, inputs: Inputs) -> None:
    state = campaign_state.load(paths, inputs, PLAN, "s")
    assert campaign_state.sides(state) == []
    for run_id, point, repeat, audit in (
        ("s-1", 0, 0, "pass"),
        ("s-2", 1, 0, "pass"),
        ("s-3", 0, 1, "pass"),
        ("s-4", 1, 1, "fail"),
        ("s-5", 2, 0, "pass"),
        ("s-6", 2, 1, "pass"),
    ):
        state = state.finished(EndedRun(point, repeat, run_id, 0, {"audit": audit}))
        if run_id == "s-2":
            assert campaign_state.sides(state) == ["s-1", "s-2"]
    # Point 1 has one sound run left, which no repeats can be held against.
    assert campaign_state.sides(state) == ["s-1,s-3", "s-5,s-6"]
