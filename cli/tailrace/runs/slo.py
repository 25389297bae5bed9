# SPDX-License-Identifier: Apache-2.0
"""Compares the bounds of a workload (``slo``) with the stored values of its run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from clickhouse_connect.driver.client import Client

from tailrace.audit.verdict import Verdict
from tailrace.queries.ask import rows
from tailrace.queries.render import show as show_table

# Bounds that are either met or not.
FLAGS = ("steady", "fit")
# Values that the audit counts, with the name of its check.
FROM_AUDIT = {"lost": "missing", "duplicates": "duplicated"}


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
    for key, check in FROM_AUDIT.items():
        values[key] = sum(abs(f.actual - f.expected) for f in verdict.failures if f.check == check)
    # With acks=0 no broker promised to keep these, so the audit does not fail for them; a bound on loss counts them.
    values["lost"] += verdict.not_received
    # Nor for these, which at-least-once delivery allows; a bound on duplicates counts them.
    values["duplicates"] += verdict.redelivered
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
