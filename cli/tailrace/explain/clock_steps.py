# SPDX-License-Identifier: Apache-2.0
"""Clocks that were set during the run. They shift latency between hosts, though nothing is slow."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.explain.episodes import Episode
from tailrace.queries.ask import RunReader, moment

# A load generator follows a clock that was set at this rate, µs per second.
FOLLOWS_US = 500
# A step that accounts for less than this share of latency's rise explains none of it.
LEAST_SHARE = 0.3
AT_MOST = 8


@dataclass(frozen=True)
class ClockStep:
    """``at``: when it was detected, seconds since 1970; ``us``: by how much the clock was set."""

    at: float
    us: int

    def moved_us(self, at: float) -> float:
        """How far the load generator's times have followed the clock, µs."""
        return max(0.0, min(abs(self.us), FOLLOWS_US * (at - self.at)))


@dataclass(frozen=True)
class ClockSteps:
    """``across``: the run's latencies are, or may be, between clocks of several hosts."""

    all: Sequence[ClockStep]
    across: bool

    def behind(self, episode: Episode, rise_ms: float) -> ClockStep | None:
        """The step that alone may explain the episode. Publish latency is on one clock."""
        if not self.across or episode.stage != "end_to_end":
            return None
        for step in self.all:
            # A step that was followed completely before the episode shifts nothing in it.
            incomplete = step.moved_us(episode.start) < abs(step.us)
            if incomplete and step.moved_us(episode.end + 1) > LEAST_SHARE * rise_ms * 1000:
                return step
        return None

    def sentences(self) -> list[str]:
        """One for each step."""
        what = "its times follow by 0.5 ms a second, those of its host's metrics may have jumped"
        if self.across:
            what += ", and end-to-end latency between hosts moved with it"
        sentences = [f"{_set(step)} (seen at {moment(step.at)[11:]}): {what}" for step in self.all]
        more = len(sentences) - AT_MOST
        kind = "tailrace query run_events --param kind=clock_step"
        return sentences[:AT_MOST] + ([f"and {more} more of this kind: {kind}"] if more > 0 else [])


def read(reader: RunReader) -> ClockSteps:
    """All steps of the run. A step in the warm-up may still be followed in the measure phase."""
    rows = reader.ask("run_events", kind="clock_step")
    if not rows:
        return ClockSteps((), False)
    steps = [ClockStep(row["time"].timestamp(), json.loads(row["detail"])["step_us"]) for row in rows]
    hosts = len(reader.ask("audit_clock_offsets"))
    # If no host's clock was measured, each worker may have its own.
    workers = max((row["workers"] for row in reader.ask("run_manifest")), default=1)
    return ClockSteps(steps, hosts > 1 or (hosts == 0 and workers > 1))


def why(step: ClockStep) -> str:
    """Why an episode has no verdict."""
    return f"{_set(step)}: latency between hosts moved with it, and perhaps nothing was slow"


def _set(step: ClockStep) -> str:
    return f"a load generator's clock was set by {step.us / 1000:+,.1f} ms"
