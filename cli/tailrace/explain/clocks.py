# SPDX-License-Identifier: Apache-2.0
"""Clocks that were set in mid-run: between hosts, latency moves with them, and nothing is slow."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.explain.episodes import Episode
from tailrace.explain.reading import Asker, moment

# A load generator whose clock was set follows it by this much a second, µs.
FOLLOWS_US = 500
# Less than this share of latency's rise explains none of it.
LEAST_SHARE = 0.3
AT_MOST = 8


@dataclass(frozen=True)
class Step:
    """``at``: when it was seen, seconds since 1970; ``us``: by how much the clock was set."""

    at: float
    us: int

    def moved_us(self, at: float) -> float:
        """By how much the load generator's times have followed it, µs."""
        return max(0.0, min(abs(self.us), FOLLOWS_US * (at - self.at)))


@dataclass(frozen=True)
class Steps:
    """``across``: latencies of the run are between clocks of several hosts, or may be."""

    all: Sequence[Step]
    across: bool

    def behind(self, episode: Episode, rise_ms: float) -> Step | None:
        """The step that alone may have moved the episode's latency; publish has one clock."""
        if not self.across or episode.stage != "end_to_end":
            return None
        for step in self.all:
            # One that was followed to its end before the episode moves nothing in it.
            going = step.moved_us(episode.start) < abs(step.us)
            if going and step.moved_us(episode.end + 1) > LEAST_SHARE * rise_ms * 1000:
                return step
        return None

    def sentences(self) -> list[str]:
        """One for each step."""
        what = "its times follow by 0.5 ms a second, those of its host's metrics may have jumped"
        if self.across:
            what += ", and end-to-end latency between hosts moved with it"
        told = [f"{_set(step)} (seen at {moment(step.at)[11:]}): {what}" for step in self.all]
        more = len(told) - AT_MOST
        kind = "tailrace query run_events --param kind=clock_step"
        return told[:AT_MOST] + ([f"and {more} more of this kind: {kind}"] if more > 0 else [])


def read(asker: Asker) -> Steps:
    """The steps of the run, warm-up included: those that are followed slowly reach far."""
    rows = asker.ask("run_events", kind="clock_step")
    if not rows:
        return Steps((), False)
    steps = [Step(row["time"].timestamp(), json.loads(row["detail"])["step_us"]) for row in rows]
    hosts = len(asker.ask("audit_clock_offsets"))
    # Where no host's clock was measured each worker may be on one of its own.
    workers = max((row["workers"] for row in asker.ask("run_manifest")), default=1)
    return Steps(steps, hosts > 1 or (hosts == 0 and workers > 1))


def why(step: Step) -> str:
    """The reason for which an episode is not judged."""
    return f"{_set(step)}: latency between hosts moved with it, and perhaps nothing was slow"


def _set(step: Step) -> str:
    return f"a load generator's clock was set by {step.us / 1000:+,.1f} ms"
