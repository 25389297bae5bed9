# SPDX-License-Identifier: Apache-2.0
"""The campaign of the run: the percentile curves of all its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.page import curves
from tailrace.page.specs import Spec
from tailrace.queries.ask import Ask, Row
from tailrace.report.data import RunData

# Readers can distinguish this many curves, and the warehouse reads them in a second.
AT_MOST = 24


@dataclass(frozen=True)
class Member:
    """A run of the campaign; ``own``: the run of this report."""

    run_id: str
    point: int
    label: str
    audit: str
    curve: curves.Curve
    own: bool

    def at(self, stage: str, percentile: float) -> int | None:
        """µs at that percentile; None if too few messages were measured."""
        return curves.at(self.curve, stage, percentile)


@dataclass(frozen=True)
class Campaign:
    """``left_out``: how many of its runs are not shown."""

    name: str
    members: Sequence[Member]
    left_out: int

    @property
    def arguments(self) -> str:
        """The arguments for ``tailrace compare``: repeats of a point together."""
        points: dict[int, list[str]] = {}
        for each in self.members:
            points.setdefault(each.point, []).append(each.run_id)
        if len(points) == 1:
            return " ".join(next(iter(points.values())))
        repeated = [runs for runs in points.values() if len(runs) > 1]
        # ``compare`` takes single runs or repeats, not both. In an unfinished campaign, repeats are missing.
        if len(repeated) > 1:
            return " ".join(",".join(runs) for runs in repeated)
        return " ".join(runs[0] for runs in points.values())

    def charts(self) -> list[Spec]:
        """The curves of all members; the thickest is this run's."""
        lines = [curves.Line(each.label, each.curve, each.own) for each in self.members]
        return curves.charts("campaign", lines)


def read(data: RunData, ask: Ask) -> Campaign | None:
    """None if the run belongs to no campaign, or is its only run."""
    rows = ask("campaign_runs")
    if len(rows) < 2:
        return None
    mine = data.summary["run_id"]
    # This run comes first, so that it is always shown.
    kept = sorted(rows, key=lambda row: row["run_id"] != mine)[:AT_MOST]
    kept.sort(key=lambda row: (row["point"], row["repeat"], row["run_id"]))
    return Campaign(rows[0]["campaign"], [_member(row, mine, data, ask) for row in kept], len(rows) - len(kept))


def _member(row: Row, mine: str, data: RunData, ask: Ask) -> Member:
    own = row["run_id"] == mine
    label = row["varied"] or row["run_id"]
    if row["repeat"]:
        label += f", repeat {row['repeat']}"
    curve = data.curve if own else curves.by_stage(ask("latency_curve", run_id=row["run_id"]))
    shown = f"{label} (this run)" if own else label
    return Member(row["run_id"], row["point"], shown, row["audit"], curve, own)
