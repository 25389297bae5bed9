# SPDX-License-Identifier: Apache-2.0
"""What is asked, and how much it may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """``query`` of the library with ``params``; the goals are of 100 million rows, None where there is none."""

    name: str
    query: str
    params: Mapping[str, str] = field(default_factory=dict)
    goal_cpu_s: float | None = None
    goal_wall_s: float | None = None


CASES = (
    Case("latency_percentiles_all_stages", "latency_percentiles"),
    Case("rollup_per_second", "latency_percentiles_per_second", goal_wall_s=0.05),
)
