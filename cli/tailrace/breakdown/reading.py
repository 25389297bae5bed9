# SPDX-License-Identifier: Apache-2.0
"""Reads where a run's messages spent their time, from the rollup."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.breakdown import rollup
from tailrace.breakdown.parts import BANDS, WHOLE
from tailrace.errors import BadInput
from tailrace.queries.ask import Row, RunReader, moment

PLACES = ("broker", "partition", "producer")
_AGENTLESS = (
    "this run has no request rows: its brokers ran without the broker agent; start them with tailrace up"
    " --request-rows, and run it again"
)


@dataclass(frozen=True)
class Choice:
    """Which messages: ``start`` to before ``end``, seconds since 1970, as ``window`` describes them."""

    side: str
    band: str
    start: int
    end: int
    window: str

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of a query."""
        times = {"since": moment(self.start), "to": moment(self.end - 1)}
        return {"side": self.side, "band": BANDS[self.band], **times}


@dataclass(frozen=True)
class Place:
    """A broker, partition, producer or second; ``stages``: mean µs of its messages by stage."""

    name: str
    messages: int
    latency_us: float
    stages: Mapping[str, float]


@dataclass(frozen=True)
class Breakdown:
    """``whole`` and ``stages``: rows of query ``stages``; ``measured``: the side's row of ``stages_measured``."""

    run_id: str
    choice: Choice
    whole: Row
    stages: Sequence[Row]
    measured: Row
    by: str = ""
    places: Sequence[Place] = ()


def require(reader: RunReader) -> None:
    """Compute the rollup where it is missing. Raises BadInput for a run without request rows."""
    if not rollup.ensure(reader.client, reader.run_id):
        raise BadInput(f"run {reader.run_id}: {_AGENTLESS}")


def read(reader: RunReader, choice: Choice, by: str = "") -> Breakdown:
    """Raises BadInput if the window has no message."""
    rows = reader.ask("stages", **choice.params)
    whole = next((row for row in rows if row["stage"] == WHOLE), None)
    if whole is None:
        raise BadInput(f"run {reader.run_id}: no message in {choice.window}, {times(choice)}")
    span = {name: choice.params[name] for name in ("since", "to")}
    measured = next(row for row in reader.ask("stages_measured", **span) if row["side"] == choice.side)
    stages = [row for row in rows if row["stage"] != WHOLE]
    return Breakdown(reader.run_id, choice, whole, stages, measured, by, _places(reader, choice, by))


def times(choice: Choice) -> str:
    """``2026-01-01 12:00:00 to 12:05:00 UTC``."""
    return f"{moment(choice.start).replace('T', ' ')} to {moment(choice.end)[11:]} UTC"


def _places(reader: RunReader, choice: Choice, by: str) -> list[Place]:
    if not by:
        return []
    if by == "second":
        rows = reader.ask("stages_over_time", **choice.params)
        named = [row | {"place": row["time"].strftime("%H:%M:%S")} for row in rows]
    else:
        named = reader.ask("stages_by", by=by, **choice.params)
    stages: dict[str, dict[str, float]] = {}
    for row in named:
        stages.setdefault(row["place"], {})[row["stage"]] = row["mean_us"]
    wholes = {row["place"]: (row["messages"], row["latency_us"]) for row in named}
    return [Place(place, *wholes[place], parts) for place, parts in stages.items()]
