# SPDX-License-Identifier: Apache-2.0
"""When the power is cut, and what a drive keeps of what was not flushed; all from one random seed."""

import random
from dataclasses import dataclass, replace

from tailrace.contracts import POWER_LOSES_SECONDS

# Seconds of load that are older than the bound at a late cut.
_OLDER_S = 8


@dataclass(frozen=True)
class PlannedCut:
    """``wait_s``: after the cut before; ``outage_s``: how long before the cut the collector stops, 0 for not at all, so
    that the newest blocks are in the spool alone; ``flushes``: how many flushes after the mark still succeed;
    ``kept_share``: of the pieces that no flush has reached."""

    wait_s: float
    outage_s: float
    flushes: int
    kept_share: float


@dataclass(frozen=True)
class PlannedPart:
    """One run and its cuts. ``run`` and ``stack``: the durability of its spool and of the warehouse, none or fsync."""

    run: str
    stack: str
    seed: int
    cuts: tuple[PlannedCut, ...]

    @property
    def name(self) -> str:
        return f"{self.run}-{self.stack}"

    @property
    def bound_s(self) -> int:
        """How old the rows are at the most that this may lose (docs/contracts/spool.md)."""
        return POWER_LOSES_SECONDS["fsync" if self.run == self.stack == "fsync" else "none"]

    @property
    def load_s(self) -> int:
        return round(sum(cut.wait_s + cut.outage_s for cut in self.cuts)) + 8


def plan(seed: int, cuts: int, without: int) -> list[PlannedPart]:
    """A part for each row of the table: ``cuts`` cuts where both flush, ``without`` where not.

    The last cut of each part that does not flush is so late that rows older than its bound were recorded.
    """
    rng = random.Random(seed)
    parts = [_part("fsync", "fsync", cuts, rng)]
    for run, stack in (("none", "none"), ("fsync", "none"), ("none", "fsync")):
        parts.append(_late(_part(run, stack, without, rng)))
    return parts


def short(seed: int) -> list[PlannedPart]:
    """One cut where both flush, and one where neither does."""
    rng = random.Random(seed)
    return [_part("fsync", "fsync", 1, rng), _part("none", "none", 1, rng)]


def _late(part: PlannedPart) -> PlannedPart:
    *earlier, last = part.cuts
    before = sum(cut.wait_s + cut.outage_s for cut in earlier) + last.outage_s
    return replace(part, cuts=(*earlier, replace(last, wait_s=max(last.wait_s, part.bound_s + _OLDER_S - before))))


def _part(run: str, stack: str, cuts: int, rng: random.Random) -> PlannedPart:
    planned = tuple(
        PlannedCut(
            rng.uniform(5, 10),
            # The first cut finds blocks in the spool; later ones may find a moment in which all were stored.
            rng.uniform(5, 9) if number == 0 or rng.random() < 0.5 else 0.0,
            rng.randrange(8),
            rng.choice((0.0, 0.5, 0.9)),
        )
        for number in range(cuts)
    )
    return PlannedPart(run, stack, rng.randrange(2**31), planned)
