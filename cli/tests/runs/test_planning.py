# SPDX-License-Identifier: Apache-2.0
"""Run ids, and the disk a run needs."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from tailrace.errors import BadInput
from tailrace.runs import planning
from tailrace.stack.api import StackPaths

PLAN = planning.Plan(
    {
        "workload": "so many/words",
        "topics": [{"name": "RUN_ID-0000000", "partitions": 4}],
        "run_id": "RUN_ID",
        "disk_bytes": 10 * 1024**3,
        "expected_messages": 1000,
        "expected_deliveries": 1000,
    }
)


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    return StackPaths.load({"TAILRACE_STATE": str(tmp_path / "not" / "yet" / "there")})


def free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """The one thing a test cannot do for real: fill the drive."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=size))


def test_a_made_up_id_begins_with_the_workload() -> None:
    first, second = (planning.new_run_id(PLAN, None) for _ in range(2))
    assert re.fullmatch(r"so-many-words-\d{8}-\d{6}-[0-9a-f]{4}", first)
    assert first != second


def test_a_given_id_is_taken() -> None:
    assert planning.new_run_id(PLAN, "night.run_7") == "night.run_7"


@pytest.mark.parametrize("wanted", ["", "a b", "a/b", "x" * 129, "last", "ä"])
def test_an_id_that_cannot_be_is_refused(wanted: str) -> None:
    with pytest.raises(BadInput, match="--run-id"):
        planning.new_run_id(PLAN, wanted)


def test_the_plan_of_a_run_bears_its_id() -> None:
    plan = planning.of_run(PLAN, "r1")
    assert (plan["run_id"], plan["topics"][0]["name"]) == ("r1", "r1-0000000")
    assert plan["topics"][0]["partitions"] == 4


def test_a_drive_that_holds_the_run_is_enough(
    monkeypatch: pytest.MonkeyPatch, paths: StackPaths
) -> None:
    free(monkeypatch, 13 * 1024**3)
    planning.check_disk(PLAN, paths)


@pytest.mark.parametrize(
    ("size", "plan", "needed"),
    [
        (11 * 1024**3, PLAN, "12.0 GiB needed"),
        (2 * 1024**3 - 1, planning.Plan({**PLAN, "disk_bytes": 1}), "2.0 GiB needed"),
    ],
)
def test_too_small_a_drive_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    paths: StackPaths,
    size: int,
    plan: planning.Plan,
    needed: str,
) -> None:
    free(monkeypatch, size)
    with pytest.raises(BadInput) as error:
        planning.check_disk(plan, paths)
    assert needed in str(error.value)
    assert str(paths.state) in str(error.value)
    assert "\n" not in str(error.value)
