# SPDX-License-Identifier: Apache-2.0
"""When the run was slow and why, as ``tailrace explain`` sees it."""

from collections.abc import Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.exceptions import DatabaseError

from tailrace.errors import BadInput
from tailrace.explain.command import LONG_S
from tailrace.explain.explanation import Explained, explain, window
from tailrace.explain.logs import Logged
from tailrace.explain.names import readable
from tailrace.explain.reading import Asker, moment
from tailrace.explain.show import STAGES, calm, ms, scattered, worst
from tailrace.report.data import RunData
from tailrace.report.slowest import Slow, slowest
from tailrace.warehouse import first_line


@dataclass(frozen=True)
class Told:
    """An episode, or of a long run a step. Times are seconds since 1970, the end not included."""

    start: int
    end: int
    cause: str
    what: str
    why: str
    confidence: str
    command: str
    logged: Logged | None = None

    @property
    def clock(self) -> str:
        return moment(self.start).replace("T", " ")

    @property
    def seconds(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Episodes:
    """``kind``: episode or step; ``besides``: what is to say beside ``told``, or why there is none;
    ``worst``: of a run that is told by steps its slowest points; ``unseen``: what could not be
    seen; ``missing``: why there is nothing to tell."""

    told: Sequence[Told] = ()
    kind: str = "episode"
    besides: str = ""
    worst: Sequence[Slow] = ()
    unseen: Sequence[str] = ()
    missing: str = ""


def read(data: RunData, asker: Asker) -> Episodes:
    """Explain the run; of a run that cannot be explained, why not."""
    if not data.measured:
        return Episodes(missing="nothing was measured")
    try:
        start, end = window(asker)
        return _steps(asker, data) if end - start >= LONG_S else _episodes(asker)
    except BadInput as err:
        return Episodes(missing=str(err))
    except DatabaseError as err:
        return Episodes(missing=f"the warehouse could not answer: {first_line(err)[:200]}")


def _episodes(asker: Asker) -> Episodes:
    found = explain(asker)
    besides = f"Outside of them {scattered(found)}" if found.scattered else ""
    if not found.episodes:
        clause = calm(found)
        besides = clause[0].upper() + clause[1:]
    told = [_told(each) for each in found.episodes]
    return Episodes(told, "episode", besides, unseen=found.unseen)


def _told(each: Explained) -> Told:
    episode, verdict, best = each.episode, each.verdict, each.verdict.best
    cause = verdict.cause.replace("_", " ")
    if best and best.device:
        cause += f" of {best.device}"
    if best and best.broker is not None:
        cause += f" at broker {best.broker}"
    return Told(
        episode.start, episode.end + 1, cause,
        f"{STAGES[episode.stage]} p99 {worst(episode.p99)}, usually {ms(each.usual.p99)}",
        verdict.why,
        verdict.confidence if best else "",
        each.ranking,
        each.logged,
    )  # fmt: skip


def _steps(asker: Asker, data: RunData) -> Episodes:
    # numpy and scipy are paid for only by runs of hours.
    from tailrace.explain.long import explain_long
    from tailrace.explain.long_document import beside, between, lead
    from tailrace.explain.moved import Moved, Series, reach
    from tailrace.explain.show import brief

    found = explain_long(asker)

    def words(series: Series) -> str:
        return readable(series.name, series.device, found.host_of(series))

    def levels(each: Moved) -> str:
        hidden = f" (somewhere {between(each)})" if each.hidden else ""
        return f"{words(each.series)} {brief(each.before)} → {brief(each.after)} {each.series.unit}" + hidden

    told = []
    for event, logged in beside(found):
        first, (since, to), role = event[0], reach(event), lead(event)
        order = ", in this order" if role == "moved first" else ""
        told.append(
            Told(
                first.at,
                first.last if first.hidden else first.at + found.point_s,
                f"{words(first.series)} {role}",
                "; ".join(levels(each) for each in event[:4]),
                f"{len(event)} signals changed for good{order}",
                "",
                f"tailrace explain {asker.run_id} --from {moment(since - 120)} --to {moment(to + 120)}",
                logged,
            )
        )
    besides = "" if told else "Nothing changed for good"
    return Episodes(told, "step", besides, slowest(data), found.unseen)
