# SPDX-License-Identifier: Apache-2.0
"""The switch of the brokers' request rows."""

from dataclasses import replace
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.stack.paths import StackPaths
from tailrace.stack.requestrows import VARIABLE, check_running, chosen, running
from tailrace.stack.supervisor import _environment


def test_a_running_stack_keeps_its_setting(tmp_path: Path) -> None:
    paths = replace(StackPaths.load(), state=tmp_path)
    assert not running(paths)
    paths.run.mkdir()
    paths.request_rows_file.write_text("on\n")
    assert running(paths)
    check_running(paths, None)
    check_running(paths, True)
    with pytest.raises(BadInput, match="up with request rows on, not off; first: tailrace down"):
        check_running(paths, False)
    assert _environment(paths, "cluster", {})[VARIABLE] == "on"


def test_an_option_counts_more_than_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert not chosen(None)
    monkeypatch.setenv(VARIABLE, "on")
    assert (chosen(None), chosen(False)) == (True, False)
    monkeypatch.setenv(VARIABLE, "yes")
    with pytest.raises(BadInput, match="TAILRACE_BROKER_AGENT=yes: must be on or off"):
        chosen(None)
