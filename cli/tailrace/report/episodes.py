# SPDX-License-Identifier: Apache-2.0
"""The report's rows about slow episodes and their causes, from ``tailrace explain``."""

from collections.abc import Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.exceptions import DatabaseError

from tailrace.contracts import SIGNAL_TITLES
from tailrace.errors import BadInput
from tailrace.explain.command import LONG_S
from tailrace.explain.explanation import ExplainedEpisode, explain, window
from tailrace.explain.logs import LogExcerpt
from tailrace.explain.text import calm, latency, scattered
from tailrace.queries.ask import RunReader, moment
from tailrace.report.data import RunData
from tailrace.report.slowest import Slow, slowest
from tailrace.warehouse import first_line

STAGE_PREFIXES = {"publish_": "publish ", "end_to_end_": "end-to-end "}


@dataclass(frozen=True)
class Finding:
    """An episode, or in a long run a step. Times are seconds since 1970, without the end."""

    start: int
    end: int
    cause: str
    what: str
    why: str
    confidence: str
    command: str
    logged: LogExcerpt | None = None

    @property
    def clock(self) -> str:
        return moment(self.start).replace("T", " ")

    @property
    def seconds(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Episodes:
    """``kind``: episode or step; ``note``: a sentence about the rest of the run; ``worst``: the slowest points of a run
    with steps; ``unseen``: what was not measured; ``missing``: why there is no explanation."""

    findings: Sequence[Finding] = ()
    kind: str = "episode"
    note: str = ""
    worst: Sequence[Slow] = ()
    unseen: Sequence[str] = ()
    missing: str = ""


def read(data: RunData, reader: RunReader) -> Episodes:
    """Explain the run, or state why it cannot be explained."""
    if not data.measured:
        return Episodes(missing="nothing was measured")
    try:
        start, end = window(reader)
        return _steps(reader, data) if end - start >= LONG_S else _episodes(reader)
    except BadInput as err:
        return Episodes(missing=str(err))
    except DatabaseError as err:
        return Episodes(missing=f"the warehouse answered with an error: {first_line(err)[:200]}")


def _episodes(reader: RunReader) -> Episodes:
    found = explain(reader)
    note = f"Outside of them {scattered(found)}" if found.scattered else ""
    if not found.episodes:
        clause = calm(found)
        note = clause[0].upper() + clause[1:]
    findings = [_finding(each) for each in found.episodes]
    return Episodes(findings, "episode", note, unseen=found.unseen)


def _finding(each: ExplainedEpisode) -> Finding:
    episode, verdict, best = each.episode, each.verdict, each.verdict.best
    cause = verdict.cause.replace("_", " ")
    if best and best.device:
        cause += f" of {best.device}"
    if best and best.broker is not None:
        cause += f" at broker {best.broker}"
    return Finding(
        episode.start, episode.end + 1, cause,
        latency(each),
        verdict.why,
        verdict.confidence if best else "",
        each.ranking,
        each.logged,
    )  # fmt: skip


def _steps(reader: RunReader, data: RunData) -> Episodes:
    # numpy and scipy are slow to import, so only runs of hours import them.
    from tailrace.explain.long_run import explain_long
    from tailrace.explain.long_text import between, lead
    from tailrace.explain.shifts import Series, Shift, reach
    from tailrace.explain.text import brief

    found = explain_long(reader)

    def words(series: Series) -> str:
        return _readable(series.name, series.device, found.host_of(series))

    def levels(each: Shift) -> str:
        hidden = f" (somewhere {between(each)})" if each.hidden else ""
        return f"{words(each.series)} {brief(each.before)} → {brief(each.after)} {each.series.unit}" + hidden

    findings = []
    for group, logged in found.with_logs():
        first, (since, to), role = group[0], reach(group), lead(group)
        order = ", in this order" if role == "moved first" else ""
        findings.append(
            Finding(
                first.at,
                first.last if first.hidden else first.at + found.point_s,
                f"{words(first.series)} {role}",
                "; ".join(levels(each) for each in group[:4]),
                f"{len(group)} signals had a lasting change{order}",
                "",
                f"tailrace explain {reader.run_id} --from {moment(since - 120)} --to {moment(to + 120)}",
                logged,
            )
        )
    note = "" if findings else "No lasting change"
    return Episodes(findings, "step", note, slowest(data), found.unseen)


def _readable(name: str, device: str = "", host: str = "") -> str:
    """``drive_write_ms``, ``sdb``, ``b2`` → ``write latency of sdb on b2``."""
    for stage, words in STAGE_PREFIXES.items():
        if name.startswith(stage):
            return words + name.removeprefix(stage).removesuffix("_ms").replace("_", ".")
    words = SIGNAL_TITLES.get(name, name.replace("_", " "))
    if device:
        found = words.removesuffix(" the drive")
        words = f"{found} {device}" if found != words else f"{words} ({device})"
    return f"{words} on {host}" if host else words
