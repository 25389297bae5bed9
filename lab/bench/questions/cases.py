# SPDX-License-Identifier: Apache-2.0
"""The queries that are measured (cases.yaml)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Case:
    """``query`` of the library with ``params``; the goals are of 100 million rows, None where there is none."""

    name: str
    query: str
    params: Mapping[str, str] = field(default_factory=dict)
    goal_cpu_s: float | None = None
    goal_wall_s: float | None = None
    window_s: int = 0
    maybe_none: bool = False

    def given(self, measure_s: int) -> dict[str, str]:
        """All parameters but the run, for a measure phase of that many seconds: the window begins at 300 of 950."""
        if not self.window_s:
            return dict(self.params)
        start = min(round(measure_s * 6 / 19), measure_s - self.window_s)
        return {**self.params, "from_s": str(start), "to_s": str(start + self.window_s)}


CASES = tuple(Case(**entry) for entry in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8")))
