# SPDX-License-Identifier: Apache-2.0
"""What `tailrace run` states about a power loss, and the stack's own setting."""

from dataclasses import replace
from pathlib import Path

import pytest

from lab.stand.warehouse import Warehouse
from tailrace.errors import BadInput
from tailrace.runs.durability import line, statement
from tailrace.stack.api import StackPaths
from tailrace.stack.durability import check_running, running


def test_the_default_needs_no_line() -> None:
    assert line("none", "none") == ""


def test_each_combination_states_its_own_promise() -> None:
    assert line("fsync", "fsync").endswith("costs the rows of the last 5 s at most")
    assert "tailrace up --durability fsync" in line("fsync", "none")
    assert "the last 40 s" in line("fsync", "none")
    assert "durability: fsync in the workload" in line("none", "fsync")
    assert "not stored yet" in line("none", "fsync")


@pytest.mark.parametrize(("flag", "expected"), [("fsync", line("fsync", "fsync")), ("none", line("fsync", "none"))])
def test_the_warehouse_is_asked(flag: str, expected: str, tmp_path: Path) -> None:
    plan = {"behaviour": {"durability": "fsync"}}
    with Warehouse(tmp_path, migrate=False, flags=(f"--durability={flag}",)) as warehouse:
        assert statement(plan, warehouse.client) == expected


def test_a_running_stack_keeps_its_durability(tmp_path: Path) -> None:
    paths = replace(StackPaths.load(), state=tmp_path)
    assert running(paths) == "none"
    paths.run.mkdir()
    paths.durability_file.write_text("fsync\n")
    assert running(paths) == "fsync"
    check_running(paths, None)
    check_running(paths, "fsync")
    with pytest.raises(BadInput, match="up with --durability fsync, not none; first: tailrace down"):
        check_running(paths, "none")
