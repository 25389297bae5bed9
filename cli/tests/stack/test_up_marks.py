# SPDX-License-Identifier: Apache-2.0
"""``tailrace up`` in the middle of a run marks the brokers that it starts again."""

import pytest
from click.testing import CliRunner

from tailrace.main import cli
from tailrace.marks import broker
from tailrace.marks.reading import Mark
from tailrace.stack import lifecycle
from tailrace.stack.api import StackPaths
from tailrace.stack.supervisor import ProcessState


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A stack that is up, whose second broker and whose collector a user stopped; the names of what starts."""
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("TAILRACE_STATE", str(state))
    paths = StackPaths.load()
    paths.run.mkdir(parents=True)
    paths.brokers_file.write_text("3\n")
    names: list[str] = []
    states = [ProcessState(name, "Completed", "-", 0, 0, 0, stopped=True) for name in ("kafka-2", "collector")]
    for name in ("kafka-2", "collector"):
        (paths.run / f"{name}.stopped").touch()
    monkeypatch.setattr(lifecycle, "supervisor_of", lambda _state: object())
    monkeypatch.setattr(lifecycle, "running_brokers", lambda _state: 3)
    monkeypatch.setattr(lifecycle, "check_running", lambda _paths, _durability: None)
    monkeypatch.setattr(lifecycle.supervisor, "states", lambda _paths: states)
    monkeypatch.setattr(lifecycle.supervisor, "start_process", lambda _paths, name: names.append(name))
    monkeypatch.setattr(lifecycle, "wait_ready", lambda *_given: None)
    return names


@pytest.mark.parametrize("measuring", [True, False])
def test_a_broker_that_starts_again_during_a_run_is_marked(
    monkeypatch: pytest.MonkeyPatch, started: list[str], measuring: bool
) -> None:
    marks: list[Mark] = []
    monkeypatch.setattr(broker, "is_measuring", lambda _paths: measuring)
    monkeypatch.setattr(broker, "_mark", lambda _paths, mark: marks.append(mark))
    done = CliRunner().invoke(cli, ["up", "--brokers", "3"])
    assert done.exit_code == 0, done.output
    assert started == ["kafka-2", "collector"]
    assert [(mark.kind, mark.text) for mark in marks] == ([("note", "broker 2 started")] if measuring else [])
