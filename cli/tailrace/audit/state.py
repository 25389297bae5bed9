# SPDX-License-Identifier: Apache-2.0
"""Checks how a run ended: what it did not finish, it cannot have done well. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from tailrace.audit.verdict import Failure

MOST_LISTED = 3


@dataclass(frozen=True)
class State:
    """``state`` of the run's row; ``aborted`` by a bound of ``abortWhen``; ``reasons`` that workers recorded."""

    state: str
    aborted: bool
    reasons: tuple[str, ...]


UNKNOWN = State("", False, ())


def check_state(found: State) -> Iterator[Failure]:
    """A failure for a run that failed, gave up, or is still running, however well its messages are stored."""
    if found.state == "failed":
        word = "was aborted" if found.aborted else "failed"
        reasons = list(dict.fromkeys(found.reasons))[:MOST_LISTED]
        why = "; ".join(reasons) or "no worker recorded a reason, see the logs in its folder"
        yield Failure("state", "run", 0, 1, f"incomplete: the run {word}: {why}")
    elif found.state == "running":
        text = "the run has not ended: what follows changes with each block; audit it again when it has ended"
        yield Failure("state", "run", 0, 1, text)


def state_note(found: State) -> Iterator[str]:
    """An interrupted run is sound as far as it went; the note states that it is not the planned one."""
    if found.state == "interrupted":
        yield "the run was interrupted before its plan was complete: the verdict is about what was sent until then"
