# SPDX-License-Identifier: Apache-2.0
"""A part of the stack that does not become ready is named with its reason."""

from pathlib import Path

import pytest

from tailrace.errors import Failed
from tailrace.stack import supervisor
from tailrace.stack.api import StackPaths
from tailrace.stack.readiness import wait_ready
from tailrace.stack.supervisor import ProcessState

OLDER = """flag provided but not defined: -durability
Usage of warehouse:
  -listen string
"""


@pytest.mark.parametrize(
    ("log", "text"),
    [
        (
            OLDER * 3,
            "warehouse is older than the stack's files: it does not know the flag -durability; run make setup",
        ),
        ("no space\n", "warehouse keeps failing: 3 restarts, exit code 2\nthe end of "),
    ],
)
def test_a_program_of_an_older_build_is_named_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, text: str
) -> None:
    paths = StackPaths.load({"TAILRACE_STATE": str(tmp_path)})
    paths.logs.mkdir()
    (paths.logs / "warehouse.log").write_text(log)
    state = ProcessState("warehouse", "Restarting", "-", 0, 3, 2)
    monkeypatch.setattr(supervisor, "states", lambda _paths: [state])
    with pytest.raises(Failed) as error:
        wait_ready(paths, None, lambda _line: None)
    assert str(error.value).startswith(text)
    assert (len(str(error.value).splitlines()) == 1) == (log != "no space\n")
