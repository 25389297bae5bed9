# SPDX-License-Identifier: Apache-2.0
"""What is done is found again after the command has ended, whatever ended it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.experiments import progress
from tailrace.experiments.experiment import chosen, published
from tailrace.stack.api import StackPaths


@pytest.fixture
def paths(tmp_path: Path) -> StackPaths:
    return replace(StackPaths.load(), state=tmp_path)


def test_steps_and_measurements_are_found_again(paths: StackPaths) -> None:
    state = progress.load(paths, "small", "kafka")
    state = state.finished("6-backlog", "fan-out-1", ["r-1", "r-2"])
    state.with_measured("5-drive-limit", {"drive_limit_mb_per_s": 40.0})
    again = progress.load(paths, "small", "kafka")
    assert again.done("6-backlog", "fan-out-1") == ["r-1", "r-2"]
    assert again.done("6-backlog", "fan-out-2") is None
    assert again.measured["5-drive-limit"]["drive_limit_mb_per_s"] == 40.0
    assert progress.load(paths, "full", "kafka").done("6-backlog", "fan-out-1") is None
    assert progress.load(paths, "small", "redpanda").done("6-backlog", "fan-out-1") is None


def test_one_experiment_runs_again_without_the_others(paths: StackPaths) -> None:
    state = progress.load(paths, "small", "kafka").finished("a", "s", ["1"])
    state = state.finished("b", "s", ["2"]).with_measured("a", {}).without("a")
    assert (state.done("a", "s"), state.done("b", "s")) == (None, ["2"])
    assert "a" not in progress.load(paths, "small", "kafka").measured


def test_what_is_done_is_done_for_a_day_and_for_the_same_files(
    paths: StackPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = progress.load(paths, "small", "kafka").begin("a", "files")
    state = state.finished("a", "s", ["1"])
    assert not state.is_done("a")
    # Not done yet: gone on with on another day too, but not with other files.
    assert state.begin("a", "files").done("a", "s") == ["1"]
    assert state.begin("a", "others").done("a", "s") is None
    state.complete("a", "files")
    again = progress.load(paths, "small", "kafka").begin("a", "files")
    assert (again.is_done("a"), again.done("a", "s")) == (True, ["1"])
    assert not again.begin("a", "others").is_done("a")
    monkeypatch.setattr(progress, "_today", lambda: "2000-01-01")
    later = again.begin("a", "files")
    assert (later.is_done("a"), later.done("a", "s")) == (False, None)


def test_files_tell_what_is_run() -> None:
    [one, other] = chosen(published(StackPaths.load().root), ["6-backlog", "3-retention"])
    steps = one.steps("small", "kafka")
    assert progress.files(one, steps) == progress.files(one, steps)
    assert progress.files(one, steps) != progress.files(one, steps[:1])
    assert progress.files(other, steps) != progress.files(one, steps)


@pytest.mark.parametrize("text", ["", "[]", '{"version": 0, "runs": {}, "measured": {}}'])
def test_a_file_that_is_no_state_is_refused(paths: StackPaths, text: str) -> None:
    file = progress.load(paths, "small", "kafka").file
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with pytest.raises(BadInput, match=r"small-kafka.json: not a state .*delete it"):
        progress.load(paths, "small", "kafka")
