# SPDX-License-Identifier: Apache-2.0
"""The progress of experiments, kept on disk, so that an interrupted command continues."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tailrace.errors import BadInput
from tailrace.experiments.experiment import Experiment, Step
from tailrace.files import write_whole
from tailrace.stack.api import StackPaths

VERSION = 1


@dataclass(frozen=True)
class Progress:
    """``runs``: run ids by experiment and step. ``measured``: facts measured before the runs. ``ended``: for each
    started experiment, a hash of its files and the day (UTC) on which it was completed, empty before."""

    file: Path
    runs: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    measured: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ended: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def done(self, experiment: str, step: str) -> list[str] | None:
        """The run ids of a completed step, else None."""
        return self.runs.get(experiment, {}).get(step)

    def made(self, experiment: str) -> list[str]:
        """All run ids of an experiment."""
        return [run for runs in self.runs.get(experiment, {}).values() for run in runs]

    def finished(self, experiment: str, step: str, run_ids: list[str]) -> "Progress":
        """Add a completed step."""
        own = {**self.runs.get(experiment, {}), step: run_ids}
        return replace(self, runs={**self.runs, experiment: own})._written()

    def with_measured(self, experiment: str, facts: Mapping[str, Any]) -> "Progress":
        """Add facts that were measured before the runs of an experiment."""
        return replace(self, measured={**self.measured, experiment: facts})._written()

    def begin(self, experiment: str, files: str) -> "Progress":
        """Start or continue it; drops progress of other files or of another day."""
        own = self.ended.get(experiment)
        if own is not None and (own["files"] != files or own["day"] not in ("", _today())):
            return self.without(experiment).begin(experiment, files)
        return self if own else self._marked(experiment, "", files)

    def complete(self, experiment: str, files: str) -> "Progress":
        """Mark the experiment as completed."""
        return self._marked(experiment, _today(), files)

    def is_done(self, experiment: str) -> bool:
        """Whether the experiment is completed, as of the last ``begin`` or ``complete``."""
        return bool(self.ended.get(experiment, {}).get("day"))

    def _marked(self, experiment: str, day: str, files: str) -> "Progress":
        own = {"day": day, "files": files}
        return replace(self, ended={**self.ended, experiment: own})._written()

    def emptied(self, experiment: str) -> "Progress":
        """Drop the experiment's runs and measurements, but not its start."""
        own = self.ended.get(experiment)
        empty = self.without(experiment)
        return empty._marked(experiment, own["day"], own["files"]) if own else empty

    def without(self, experiment: str) -> "Progress":
        """Drop everything about the experiment."""
        runs = {name: own for name, own in self.runs.items() if name != experiment}
        measured = {name: own for name, own in self.measured.items() if name != experiment}
        ended = {name: own for name, own in self.ended.items() if name != experiment}
        return replace(self, runs=runs, measured=measured, ended=ended)._written()

    def _written(self) -> "Progress":
        state = {"version": VERSION, "runs": self.runs, "measured": self.measured, "ended": self.ended}
        write_whole(self.file, json.dumps(state, indent=1))
        return self


def files(experiment: Experiment, steps: Sequence[Step], where: str = "") -> str:
    """A hash of what determines the runs: the experiment's file, each step's files, and ``where``: brokers, workers and
    drive."""
    found = [experiment.folder / "experiment.yaml"]
    found += [file for step in steps for file in (step.workload, step.driver)]
    parts = [where.encode(), *(file.read_bytes() for file in found)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def load(paths: StackPaths, form: str, system: str) -> Progress:
    """Raises BadInput when the file cannot be read."""
    file = paths.state / "experiments" / f"{form}-{system}.json"
    if not file.exists():
        return Progress(file)
    try:
        state = json.loads(file.read_text(encoding="utf-8"))
        if state["version"] != VERSION:
            raise ValueError(f"version {state['version']}")
        ended = dict(state.get("ended", {}))
        return Progress(file, dict(state["runs"]), dict(state["measured"]), ended)
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise BadInput(f"{file}: not a state of experiments ({err}); delete it to start again") from err
