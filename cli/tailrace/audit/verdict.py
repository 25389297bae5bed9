# SPDX-License-Identifier: Apache-2.0
"""The verdict of an audit."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

# Counts up when a check is added or judges differently; verdicts of other numbers cannot be compared.
RULES = 3


@dataclass(frozen=True)
class Failure:
    """A number that differs from what the audit expects.

    ``check`` is a stable name, ``where`` the worker and stream or the partition, ``text`` the sentence for people.
    """

    check: str
    where: str
    expected: int
    actual: int
    text: str


@dataclass(frozen=True)
class Totals:
    """Sums of counters and stored rows over all workers."""

    sent: int
    acked: int
    failed: int
    received: int
    lost: int
    stored_publishes: int
    stored_deliveries: int


@dataclass(frozen=True)
class Verdict:
    """The outcome; ``notes`` are allowed differences worth showing.

    ``not_received``: messages sent with acks=0 that were not received and that no log is known to have, counted once
    per subscription. They fail the audit only if the drain was cut short. ``redelivered``: messages that a consumer
    group received again after a rebalance. ``duplicates_allowed``: messages in the log twice, as the
    producers' settings allow. ``limits``: what was not checked message by message.
    """

    run_id: str
    totals: Totals
    partitions: int
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]
    not_received: int = 0
    redelivered: int = 0
    duplicates_allowed: int = 0
    limits: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures

    @property
    def word(self) -> str:
        return "pass" if self.passed else "fail"

    def to_json(self) -> str:
        """The text stored in ``runs.audit``."""
        found = asdict(self)
        del found["run_id"]
        return json.dumps({"verdict": self.word, "rules": RULES, **found})

    def agrees_with(self, stored: str) -> bool:
        """Whether all numbers equal those of ``stored``, another audit's JSON; also if that is empty.

        The sentences for people may be worded differently by another version of this program. If that version had
        other checks, the counts of messages are compared alone.
        """
        if not stored:
            return True
        theirs, ours = json.loads(stored), json.loads(self.to_json())
        if theirs.get("rules", 1) != RULES:
            return all(theirs[key] == ours[key] for key in ("totals", "partitions"))
        return _numbers(ours) == _numbers(theirs)


def _numbers(tree: dict[str, Any]) -> dict[str, Any]:
    failures = [{key: value for key, value in each.items() if key != "text"} for each in tree["failures"]]
    texts = {name: [re.findall(r"\d+", text) for text in tree[name]] for name in ("notes", "limits")}
    return {**tree, "failures": failures, **texts}
