# SPDX-License-Identifier: Apache-2.0
"""Run ids, and the disk a run needs."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tailrace.errors import BadInput
from tailrace.runs import planning
from tailrace.stack.api import StackPaths

GIB = 1024**3
PLAN = planning.Plan(
    {
        "workload": "so many/words",
        "topics": [{"name": "RUN_ID-0000000", "partitions": 4}],
        "run_id": "RUN_ID",
        "disk_bytes": 10 * 1024**3,
        "partitions": 100,
        "replication_factor": 1,
        "topic_config": {},
        "producer_config": {"bootstrap.servers": "remote.invalid:9092"},
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


@pytest.mark.parametrize(
    "wanted", ["", "a b", "a/b", "x" * 129, "last", "ä", "..", ".x", "-x", "_"]
)
def test_an_id_that_cannot_be_is_refused(wanted: str) -> None:
    with pytest.raises(BadInput, match="--run-id"):
        planning.new_run_id(PLAN, wanted)


def test_the_plan_of_a_run_bears_its_id() -> None:
    plan = planning.of_run(PLAN, "r1", 4)
    assert (plan["run_id"], plan["topics"][0]["name"]) == ("r1", "r1-0000000")
    assert plan["topics"][0]["partitions"] == 4


def here(paths: StackPaths, **changes: Any) -> planning.Plan:
    """The plan for the stack's own broker."""
    servers = f"localhost:{paths.ports['KAFKA_PORT']}"
    return planning.Plan({**PLAN, "producer_config": {"bootstrap.servers": servers}, **changes})


def test_a_drive_that_holds_the_run_is_enough(
    monkeypatch: pytest.MonkeyPatch, paths: StackPaths
) -> None:
    free(monkeypatch, 13 * GIB)
    planning.check_disk(here(paths), paths)


@pytest.mark.parametrize(
    ("size", "changes", "needed"),
    [
        (11 * GIB, {}, ["12.0 GiB needed", "12.0 GiB for the broker's log"]),
        (2 * GIB - 1, {"disk_bytes": 1}, ["2.0 GiB needed"]),
        # Two partitions keep 1 GiB each and an open segment of 256 MiB.
        (2 * GIB, {"partitions": 2}, ["3.0 GiB needed"]),
        (5 * GIB, {"partitions": 2, "replication_factor": 2}, ["6.0 GiB needed"]),
        (
            3 * GIB,
            {"partitions": 1, "topic_config": {"retention.bytes": str(3 * GIB)}},
            ["3.9 GiB"],
        ),
        (11 * GIB, {"partitions": 1, "topic_config": {"retention.bytes": "-1"}}, ["12.0 GiB"]),
        (11 * GIB, {"partitions": 1, "topic_config": {"cleanup.policy": "compact"}}, ["12.0 GiB"]),
        (11 * GIB, {"partitions": 1, "topic_config": {"segment.bytes": "much"}}, ["12.0 GiB"]),
    ],
)
def test_too_small_a_drive_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    paths: StackPaths,
    size: int,
    changes: dict[str, Any],
    needed: list[str],
) -> None:
    free(monkeypatch, size)
    with pytest.raises(BadInput) as error:
        planning.check_disk(here(paths, **changes), paths)
    for text in needed:
        assert text in str(error.value)
    assert str(paths.state) in str(error.value)
    assert "\n" not in str(error.value)


def test_remote_brokers_need_only_room_for_the_rows_here(
    monkeypatch: pytest.MonkeyPatch, paths: StackPaths
) -> None:
    free(monkeypatch, 2 * GIB)
    planning.check_disk(PLAN, paths)
    many = planning.Plan({**PLAN, "expected_messages": 10**8, "expected_deliveries": 10**8})
    with pytest.raises(BadInput) as error:
        planning.check_disk(many, paths)
    assert "7.2 GiB needed for this run (7.2 GiB for its rows in the warehouse;" in str(error.value)
    assert "broker's log" not in str(error.value)
