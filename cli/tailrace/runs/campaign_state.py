# SPDX-License-Identifier: Apache-2.0
"""Which runs of a campaign are done, on disk, so that a crash costs no more than the run it hit."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tailrace.errors import BadInput
from tailrace.runs.loadgen import Inputs
from tailrace.runs.planning import Plan, new_run_id
from tailrace.stack.api import StackPaths


@dataclass(frozen=True)
class Done:
    """A run that came to its end; ``row`` is what the table shows of it."""

    point: int
    repeat: int
    run_id: str
    code: int
    row: Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """A campaign: its name, which run ids begin with, the tries made and the runs that are done."""

    file: Path
    name: str
    tries: int = 0
    done: Sequence[Done] = field(default_factory=tuple)

    def find(self, point: int, repeat: int) -> Done | None:
        """The run of a point that is done already, or None."""
        mine = (done for done in self.done if (done.point, done.repeat) == (point, repeat))
        return next(mine, None)

    def trying(self) -> "State":
        """One more run is begun; its number makes run ids differ, also after a crash."""
        return replace(self, tries=self.tries + 1)._written()

    def finished(self, done: Done) -> "State":
        """One more run is done."""
        return replace(self, done=(*self.done, done))._written()

    def _written(self) -> "State":
        self.file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(
            {"name": self.name, "tries": self.tries, "done": [asdict(each) for each in self.done]},
            indent=1,
        )
        # Written beside and moved into place: a crash leaves the old state or the new one.
        partial = self.file.with_suffix(".part")
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, self.file)
        return self


def load(paths: StackPaths, inputs: Inputs, plan: Plan, name: str | None) -> State:
    """The state of the campaign of these files and options: a new one when there is none.

    A new one is called ``name``, or after the workload of ``plan``, its first point.

    Raises BadInput when its file cannot be read.
    """
    file = paths.state / "campaigns" / _digest(inputs) / "state.json"
    if not file.exists():
        return State(file, new_run_id(plan, name))
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
        done = tuple(Done(**each) for each in read["done"])
        return State(file, str(read["name"]), int(read["tries"]), done)
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise BadInput(f"{file}: no campaign's state; begin anew with --restart") from err


def sides(state: State) -> list[str]:
    """The sound runs of each point, repeats together, as ``tailrace compare`` takes them."""
    points: dict[int, list[str]] = {}
    for done in sorted(state.done, key=lambda done: (done.point, done.repeat)):
        if done.row.get("audit") == "pass":
            points.setdefault(done.point, []).append(done.run_id)
    # Repeats go with repeats: a point of which one run is left says nothing beside them.
    most = max((len(runs) for runs in points.values()), default=0)
    kept = [",".join(runs) for runs in points.values() if (len(runs) > 1) == (most > 1)]
    return kept if len(kept) > 1 else []


def forget(paths: StackPaths, inputs: Inputs) -> None:
    """The next campaign of these files begins anew. Stored runs stay."""
    file = paths.state / "campaigns" / _digest(inputs) / "state.json"
    file.unlink(missing_ok=True)


def _digest(inputs: Inputs) -> str:
    """Of all that decides what the runs do: another text is another campaign."""
    texts = (inputs.workload.read_bytes(), inputs.driver.read_bytes())
    options = repr((inputs.seed, inputs.bootstrap_servers, inputs.point, inputs.dialect)).encode()
    return hashlib.sha256(b"\0".join((*texts, options))).hexdigest()[:16]
