# SPDX-License-Identifier: Apache-2.0
"""The report beside the run's own latencies: heatmap, spread, campaign, episodes, logs, marks."""

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.explain.reading import Asker, at_once
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark
from tailrace.report import campaign, episodes, heat, logs, spread
from tailrace.report.campaign import Campaign
from tailrace.report.data import Ask, RunData
from tailrace.report.episodes import Episodes
from tailrace.report.heat import Heat
from tailrace.report.logs import Logs
from tailrace.report.spread import Spread


@dataclass(frozen=True)
class Parts:
    """``unread``: sentences on what the warehouse could not answer."""

    heat: Sequence[Heat]
    spread: Spread
    campaign: Campaign | None
    episodes: Episodes
    logs: Logs | None
    marks: Sequence[Mark]
    unread: Sequence[str]


def read_parts(data: RunData, asker: Asker, ask: Ask, unread: Sequence[str]) -> Parts:
    """Ask for all of them; ``unread`` is filled by ``ask`` meanwhile."""
    # Explaining takes about as long as all others together.
    with at_once(1) as beside:
        explained = beside.submit(episodes.read, data, asker)
        return Parts(
            heat=heat.read(data, ask),
            spread=spread.read(data, ask),
            campaign=campaign.read(data, ask),
            logs=logs.read(data, ask),
            marks=marks.read(ask),
            episodes=explained.result(),
            unread=unread,
        )
