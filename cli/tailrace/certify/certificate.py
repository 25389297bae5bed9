# SPDX-License-Identifier: Apache-2.0
"""A certificate: one line per claim and configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tailrace.certify.checks import HOLDS, UNTESTED, Check
from tailrace.certify.claims import Claim
from tailrace.certify.striking import Struck


@dataclass(frozen=True)
class Line:
    """A claim that was tried once. ``reason``: why the claim was not tested; a violation counts all the same.

    ``configuration``: what it was tried with. ``not_made``: by kind that never struck, why. ``failed_sends``: messages
    that were not acknowledged.
    """

    claim: Claim
    configuration: Mapping[str, str]
    run_id: str
    struck: Sequence[Struck] = ()
    not_made: Mapping[str, str] = field(default_factory=dict)
    check: Check | None = None
    reason: str = ""
    notes: Sequence[str] = ()
    failed_sends: int = 0

    @property
    def verdict(self) -> str:
        if self.check is None or (self.reason and not self.check.violations):
            return UNTESTED
        return self.check.verdict

    @property
    def messages(self) -> int:
        return self.check.messages if self.check else 0

    @property
    def counterexample(self) -> str:
        """The first violation in words; empty when there is none."""
        if self.check is None or not self.check.violations:
            return ""
        first = self.check.violations[0]
        return f"{first.kind}: {first.example}"


@dataclass(frozen=True)
class Certificate:
    """``cluster``: facts by name. ``untried``: what an interrupted certificate left out; ``interrupted``: the first of
    these, which had begun."""

    cluster: Mapping[str, str]
    lines: Sequence[Line]
    command: str
    untried: Sequence[str] = ()
    interrupted: str = ""

    @property
    def holds(self) -> bool:
        return not self.untried and all(line.verdict == HOLDS for line in self.lines)

    @property
    def planned(self) -> int:
        """Lines of the whole certificate."""
        return len(self.lines) + len(self.untried)

    @property
    def result(self) -> str:
        """The last line of the command."""
        lines = self.lines
        hold = sum(line.verdict == HOLDS for line in lines)
        faults, messages = sum(len(line.struck) for line in lines), sum(line.messages for line in lines)
        seconds = sum(line.check.seconds for line in lines if line.check)
        ended = f" interrupted={self.interrupted}" if self.interrupted else ""
        result = f"RESULT claims={self.planned} hold={hold} faults={faults} messages={messages} check_s={seconds:.1f}"
        return result + ended
