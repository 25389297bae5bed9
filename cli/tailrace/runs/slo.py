# SPDX-License-Identifier: Apache-2.0
"""Compares the bounds of a workload (``slo``) with the stored values of its run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from clickhouse_connect.driver.client import Client

from tailrace.audit.verdict import Verdict
from tailrace.queries.ask import rows
from tailrace.queries.render import show as show_table

# Bounds that are either met or not.
FLAGS = ("steady", "fit")
# Checks of the audit that find a message lost, each in its own way, and those that find one twice.
LOSSES = ("missing", "log_start", "log_end", "reread_lost")
DUPLICATES = ("duplicated", "written_twice")


@dataclass(frozen=True)
class Bound:
    """One bound and the measured value; None when nothing was measured."""

    key: str
    at_most: bool
    limit: float
    text: str
    measured: float | None

    @property
    def kept(self) -> bool:
        """Whether the bound holds; false when nothing was measured."""
        if self.measured is None:
            return False
        return self.measured <= self.limit if self.at_most else self.measured >= self.limit

    @property
    def shown(self) -> str:
        """The measured value in the unit that users write."""
        if self.measured is None:
            return "-"
        if self.key in FLAGS:
            return "true" if self.measured else "false"
        if "." in self.key or self.key == "backlogDrain":  # stage.quantile
            return f"{self.measured / 1000:.3f} ms"
        return f"{self.measured:.6g}"


def judge(client: Client, plan: Mapping[str, Any], verdict: Verdict) -> list[Bound]:
    """All bounds of the plan, in its order. Queries the warehouse only when there are any."""
    bounds: Sequence[Mapping[str, Any]] = plan.get("slo", [])
    if not bounds:
        return []
    found = rows(client, "slo_values", run_id=verdict.run_id)
    values = {str(row["key"]): float(row["value"]) for row in found}
    # The audit does not fail for what was not promised: to keep messages sent with acks=0, and to deliver or store a
    # message once. The bounds count it.
    values["lost"] = _lost(verdict) + verdict.not_received
    twice = sum(f.actual - f.expected for f in verdict.failures if f.check in DUPLICATES)
    values["duplicates"] = twice + verdict.redelivered + verdict.duplicates_allowed
    return [
        Bound(
            str(bound["key"]),
            bound["direction"] == "at_most",
            float(bound["value"]),
            str(bound["text"]),
            values.get(str(bound["key"])),
        )
        for bound in bounds
    ]


def _lost(verdict: Verdict) -> int:
    """Messages lost. In a partition several checks may find the same ones: the one that found most counts."""
    most: Counter[str] = Counter()
    for check in LOSSES:
        found: Counter[str] = Counter()
        for failure in verdict.failures:
            if failure.check == check:
                found[failure.where.partition(" ")[0]] += abs(failure.actual - failure.expected)
        most |= found
    return most.total()


def show(bounds: Sequence[Bound], out: TextIO) -> None:
    """Print the bounds as a table; nothing without bounds."""
    if not bounds:
        return
    out.write("\n")
    table = [
        [
            bound.key,
            bound.text if bound.key in FLAGS else f"{'at most' if bound.at_most else 'at least'} {bound.text}",
            bound.shown,
            "kept" if bound.kept else "BROKEN",
        ]
        for bound in bounds
    ]
    show_table(["slo", "bound", "measured", ""], table, out)


def word(bounds: Sequence[Bound]) -> str:
    """``kept``, ``broken`` or ``-`` when there are no bounds."""
    if not bounds:
        return "-"
    return "kept" if all(bound.kept for bound in bounds) else "broken"
