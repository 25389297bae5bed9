# SPDX-License-Identifier: Apache-2.0
"""Many kills in one call: batches of rounds, each on a new stack. A call that was interrupted goes on with the next."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lab.chaos import plan
from lab.chaos.tally import Tally

# (batch, its rounds) → what it counted.
Carry = Callable[[int, list[plan.PlannedRound]], Tally]


class OtherSeed(Exception):
    """The random seed that was given is not that of the call which was interrupted."""


@dataclass
class Progress:
    """The batches that are done, kept in ``file``: written after each, deleted when all are done."""

    file: Path
    seed: int
    batches: int = 0
    tally: Tally = field(default_factory=Tally)

    @classmethod
    def open(cls, file: Path, seed: int | None, new_seed: int) -> Progress:
        """What an interrupted call has left. Raises OtherSeed where that had another one than the one given."""
        if not file.exists():
            return cls(file, new_seed if seed is None else seed)
        found = json.loads(file.read_text())
        if seed not in (None, found["seed"]):
            raise OtherSeed(
                f"{file} has {found['batches']} batches of seed {found['seed']}; go on without SEED, or delete the file"
            )
        return cls(file, found["seed"], found["batches"], Tally.from_json(found["tally"]))

    def carry_out(self, kills: int, carry: Carry, say: Callable[[str], None]) -> Tally:
        """Batches until that many kills have happened, or one is not good: that one is not counted as done."""
        while self.tally.kills < kills:
            done = carry(self.batches, plan.kills(self.seed, self.batches, kills - self.tally.kills))
            if not done.good:
                done.add(self.tally)
                return done
            if not done.kills:
                done.wrong.append("a batch without a kill")
                return done
            self.tally.add(done)
            self.batches += 1
            self._write()
            say(f"{self.tally.kills} of {kills} kills after {self.tally.seconds / 60:.0f} minutes")
        self.file.unlink(missing_ok=True)
        return self.tally

    def _write(self) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps({"seed": self.seed, "batches": self.batches, "tally": self.tally.to_json()}))
        new.replace(self.file)
