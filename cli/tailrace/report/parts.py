# SPDX-License-Identifier: Apache-2.0
"""The further parts of the report: heatmap, spread, campaign, episodes, logs and marks."""

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark
from tailrace.queries.ask import Ask, RunReader, concurrently
from tailrace.report import campaign, episodes, heat, logs, spread
from tailrace.report.campaign import Campaign
from tailrace.report.data import RunData
from tailrace.report.episodes import Episodes
from tailrace.report.heat import Heat
from tailrace.report.logs import Logs
from tailrace.report.spread import Spread


@dataclass(frozen=True)
class Parts:
    """``unread``: sentences about the queries that failed."""

    heat: Sequence[Heat]
    spread: Spread
    campaign: Campaign | None
    episodes: Episodes
    logs: Logs | None
    marks: Sequence[Mark]
    unread: Sequence[str]


def read_parts(data: RunData, reader: RunReader, ask: Ask, unread: Sequence[str]) -> Parts:
    """Read all of them. ``ask`` adds to ``unread`` meanwhile."""
    # The explanation takes about as long as all others together.
    with concurrently(1) as beside:
        explained = beside.submit(episodes.read, data, reader)
        return Parts(
            heat=heat.read(data, ask),
            spread=spread.read(data, ask),
            campaign=campaign.read(data, ask),
            logs=logs.read(data, ask),
            marks=marks.read(ask),
            episodes=explained.result(),
            unread=unread,
        )
