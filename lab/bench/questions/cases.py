# SPDX-License-Identifier: Apache-2.0
"""The queries that are measured, and what each may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """``query`` of the library with ``params``; the goals are of 100 million rows, None where there is none.

    ``window`` gives further parameters by the length of the measure phase in s. A case that finds no rows has failed,
    but where ``maybe_none``.
    """

    name: str
    query: str
    params: Mapping[str, str] = field(default_factory=dict)
    goal_cpu_s: float | None = None
    goal_wall_s: float | None = None
    window: Callable[[int], Mapping[str, str]] | None = None
    maybe_none: bool = False

    def given(self, measure_s: int) -> dict[str, str]:
        """All parameters but the run."""
        return {**self.params, **(self.window(measure_s) if self.window else {})}


def _group(name: str, by: str, cpu_s: float | None = None, **params: str) -> Case:
    return Case(name, "latency_by_group", {"by": by, **params}, cpu_s)


def ten_seconds(measure_s: int) -> dict[str, str]:
    """Some 10 s inside a measure phase, which is at least that long; of 950 s, from 300 on."""
    start = min(round(measure_s * 6 / 19), measure_s - 10)
    return {"from_s": str(start), "to_s": str(start + 10)}


CASES = (
    # Raw rows.
    _group("exact_quantiles", "run", cpu_s=3),
    _group("exact_quantiles_publish", "run", cpu_s=3, stage="publish"),
    _group("per_second_raw", "second", cpu_s=4),
    Case("window_10s", "latency_by_group", {"by": "run"}, goal_wall_s=0.1, window=ten_seconds),
    _group("per_partition", "partition"),
    _group("per_producer", "producer"),
    Case("per_broker", "latency_by_broker"),
    Case("all_stages", "latency_percentiles"),
    Case("run_summary", "run_summary"),
    Case("slowest", "slowest_messages"),
    Case("lateness", "schedule_lateness"),
    Case("delivery_faults", "delivery_faults"),
    Case("lag_per_group", "lag_per_group"),
    Case("reordering", "reordering"),
    # Rollups.
    Case("per_second_rollup", "latency_percentiles_per_second", {"stage": "end_to_end"}, goal_wall_s=0.05),
    Case("per_second_rollup_all_stages", "latency_percentiles_per_second"),
    Case("heatmap", "latency_heatmap"),
    Case("curve", "latency_curve"),
    Case("all_stages_rollup", "latency_percentiles", {"source": "rollup"}),
    Case("run_summary_rollup", "run_summary_rollup"),
    Case("throughput_per_second", "throughput_per_second"),
    Case("throughput_by_phase", "throughput_by_phase"),
    Case("beside_drive", "latency_beside_drive"),
    Case("drive_correlation", "latency_drive_correlation"),
    Case("backlog", "backlog_per_second"),
    Case("knee", "ramp_knee"),
    Case("steps", "latency_steps", {"point_s": "10"}, maybe_none=True),
    Case("ab_difference", "ab_difference", {"baseline": "bench"}),
    Case("cost", "cost_per_event"),
    Case("failures", "failures_by_class"),
    Case("audit_counts_rollup", "audit_counts", {"source": "rollup"}),
    Case("audit_counts", "audit_counts"),
    Case("audit_partitions", "audit_partitions"),
    Case("audit_rollups", "audit_rollups"),
)
