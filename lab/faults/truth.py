# SPDX-License-Identifier: Apache-2.0
"""What was injected into each run: a JSON file per run, outside the stack's state."""

import json
import os
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.faults.plan import RunPlan

# What becomes of a planned injection. Only the first is scored.
INJECTED = "injected"
NO_EFFECT = "no effect"
REFUSED = "refused"
SKIPPED = "skipped"
FAILED = "failed"


@dataclass(frozen=True)
class Injected:
    """One injection. Times are RFC 3339; ``cause``: the right verdict, ``also``: others that are right as well.
    ``before`` and ``during`` were measured by the lab, in ``unit``; ``reason``: why it does not count, if it does not.
    ``signature``: the main metrics before and during."""

    kind: str
    strength: str
    seed: int
    split: str
    outcome: str
    cause: str
    also: list[str] = field(default_factory=list)
    device: str | None = None
    start: str | None = None
    end: str | None = None
    before: float | None = None
    during: float | None = None
    unit: str = ""
    reason: str = ""
    signature: dict[str, list[float | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Truth:
    """One run. ``quiet``: without injections. ``refused``: why the run was not made. ``loud``: why the machine was not
    quiet during a quiet run."""

    run: str
    seed: int
    split: str
    drive: str
    quiet: bool
    injections: list[Injected]
    noise: dict[str, float] = field(default_factory=dict)
    refused: str = ""
    loud: str = ""


class Truths:
    """The folder of truths. A run with a file here has ended and is not made again, unless it was refused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def known(self, plan: RunPlan) -> bool:
        """Whether anything is known of it, if only that it was refused."""
        return self._file(plan).exists()

    def has(self, plan: RunPlan) -> bool:
        """Whether it was made."""
        return self.known(plan) and not self.read(plan).refused

    def write(self, plan: RunPlan, truth: Truth) -> None:
        """All or nothing."""
        file = self._file(plan)
        new = file.with_suffix(".new")
        new.write_text(json.dumps(asdict(truth), indent=1) + "\n", encoding="utf-8")
        os.replace(new, file)

    def read(self, plan: RunPlan) -> Truth:
        found: dict[str, Any] = json.loads(self._file(plan).read_text(encoding="utf-8"))
        return Truth(**(found | {"injections": [Injected(**one) for one in found["injections"]]}))

    def _file(self, plan: RunPlan) -> Path:
        return self.folder / f"{plan.name}.json"


def now() -> str:
    """RFC 3339, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
