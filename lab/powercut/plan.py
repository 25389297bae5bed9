# SPDX-License-Identifier: Apache-2.0
"""When the power is cut, and what a drive keeps of what was not flushed; all from one random seed."""

import random
from dataclasses import dataclass


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
    """One run and its cuts. ``durability``: of the run and the warehouse, none or fsync."""

    durability: str
    seed: int
    cuts: tuple[PlannedCut, ...]

    @property
    def load_s(self) -> int:
        return round(sum(cut.wait_s + cut.outage_s for cut in self.cuts)) + 8


def plan(seed: int, cuts: int, without: int) -> list[PlannedPart]:
    """One part with ``cuts`` cuts and flushes, and one with ``without`` cuts and no flush."""
    rng = random.Random(seed)
    return [_part("fsync", cuts, rng), _part("none", without, rng)]


def short(seed: int) -> list[PlannedPart]:
    """One cut each."""
    return plan(seed, 1, 1)


def _part(durability: str, cuts: int, rng: random.Random) -> PlannedPart:
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
    return PlannedPart(durability, rng.randrange(2**31), planned)
