# SPDX-License-Identifier: Apache-2.0
"""Which runs of a campaign are done, kept on disk, so that a crash costs only the run that it hit."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tailrace.errors import BadInput
from tailrace.files import write_whole
from tailrace.runs.loadgen import Inputs
from tailrace.runs.planning import Plan, new_run_id
from tailrace.stack.api import StackPaths


@dataclass(frozen=True)
class EndedRun:
    """A run that ended; ``row`` is its line in the campaign's table."""

    point: int
    repeat: int
    run_id: str
    code: int
    row: Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """A campaign: its name, with which run ids start, the number of tries, and the runs that are done."""

    file: Path
    name: str
    tries: int = 0
    done: Sequence[EndedRun] = field(default_factory=tuple)

    def find(self, point: int, repeat: int) -> EndedRun | None:
        """The run of this point and repeat, or None when it is not done."""
        found = (done for done in self.done if (done.point, done.repeat) == (point, repeat))
        return next(found, None)

    def with_next_try(self) -> "State":
        """Count one more try; its number makes run ids unique, also after a crash."""
        return replace(self, tries=self.tries + 1)._written()

    def finished(self, done: EndedRun) -> "State":
        """Add a run that is done."""
        return replace(self, done=(*self.done, done))._written()

    def _written(self) -> "State":
        done = [asdict(each) for each in self.done]
        write_whole(self.file, json.dumps({"name": self.name, "tries": self.tries, "done": done}, indent=1))
        return self


def load(paths: StackPaths, inputs: Inputs, plan: Plan, name: str | None) -> State:
    """The state of the campaign with these files and options; a new one when there is none.

    A new one is named ``name``, or after the workload of ``plan``, its first point.

    Raises BadInput when its file cannot be read.
    """
    file = paths.state / "campaigns" / _digest(inputs) / "state.json"
    if not file.exists():
        return State(file, new_run_id(plan, name))
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
        done = tuple(EndedRun(**each) for each in read["done"])
        return State(file, str(read["name"]), int(read["tries"]), done)
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise BadInput(f"{file}: not a campaign's state; start again with --restart") from err


def sides(state: State) -> list[str]:
    """The runs of each point whose audit passed, grouped by point, as arguments of ``tailrace compare``."""
    points: dict[int, list[str]] = {}
    for done in sorted(state.done, key=lambda done: (done.point, done.repeat)):
        if done.row.get("audit") == "pass":
            points.setdefault(done.point, []).append(done.run_id)
    # Only groups of repeats compare with groups of repeats, so a point with one run left is dropped.
    most = max((len(runs) for runs in points.values()), default=0)
    kept = [",".join(runs) for runs in points.values() if (len(runs) > 1) == (most > 1)]
    return kept if len(kept) > 1 else []


def forget(paths: StackPaths, inputs: Inputs) -> None:
    """Make the next campaign of these files start from the beginning. Stored runs stay."""
    file = paths.state / "campaigns" / _digest(inputs) / "state.json"
    file.unlink(missing_ok=True)


def _digest(inputs: Inputs) -> str:
    """A digest of everything that determines the runs: other files or options are another campaign."""
    texts = (inputs.workload.read_bytes(), inputs.driver.read_bytes())
    options = repr((inputs.seed, inputs.bootstrap_servers, inputs.point, inputs.dialect)).encode()
    return hashlib.sha256(b"\0".join((*texts, options))).hexdigest()[:16]
