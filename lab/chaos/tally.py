# SPDX-License-Identifier: Apache-2.0
"""What a chaos test has counted, and its RESULT line. It can be written to a file and read again."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field

from lab.chaos.compare import Comparison
from lab.chaos.messages import Messages


@dataclass
class Tally:
    """Sums over rounds. ``wrong``: sentences about what no fault can explain."""

    faults: Counter[str] = field(default_factory=Counter)
    rows: Comparison = field(default_factory=Comparison)
    messages: Messages = field(default_factory=Messages)
    incomplete_runs: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0

    @property
    def good(self) -> bool:
        counts = (self.rows.lost, self.rows.duplicated, self.messages.missing)
        return not any((self.wrong, *counts, self.messages.duplicated, self.messages.reordered))

    @property
    def kills(self) -> int:
        return sum(count for kind, count in self.faults.items() if kind.startswith("kill "))

    def add(self, other: Tally) -> None:
        self.faults.update(other.faults)
        self.rows.add(other.rows)
        self.messages.add(other.messages)
        self.incomplete_runs += other.incomplete_runs
        self.wrong += other.wrong
        self.seconds += other.seconds

    def lines(self, seed: int) -> list[str]:
        """What is wrong, the faults by kind, and last the RESULT line."""
        rows, messages = self.rows, self.messages
        values = {
            "faults": self.faults.total(),
            "kills": self.kills,
            "messages": messages.messages,
            "missing": messages.missing,
            "duplicated": messages.duplicated,
            "reordered": messages.reordered,
            "redelivered": messages.redelivered,
            "unread_at_end": messages.unread,
            "rows": rows.rows,
            "lost_rows": rows.lost,
            "duplicated_rows": rows.duplicated,
            "unspooled_at_kill": rows.unspooled,
            "unspooled_s": f"{rows.unspooled_micros / 1e6:.2f}",
            "incomplete_runs": self.incomplete_runs,
            "incomplete_rows": rows.incomplete,
            "wrong": len(self.wrong),
            "seed": seed,
            "seconds": f"{self.seconds:.0f}",
        }
        wrong = [f"WRONG {line}" for line in self.wrong]
        kinds = [f"  {count:3} × {kind}" for kind, count in sorted(self.faults.items())]
        return [*wrong, *kinds, "RESULT " + " ".join(f"{key}={value}" for key, value in values.items())]

    def to_json(self) -> str:
        # asdict cannot copy a Counter.
        parts = {"faults": dict(self.faults), "rows": asdict(self.rows), "messages": asdict(self.messages)}
        return json.dumps({**vars(self), **parts})

    @classmethod
    def from_json(cls, text: str) -> Tally:
        tree = json.loads(text)
        tree["faults"] = Counter(tree["faults"])
        tree["rows"], tree["messages"] = Comparison(**tree["rows"]), Messages(**tree["messages"])
        return cls(**tree)
