# SPDX-License-Identifier: Apache-2.0
"""What changed over hours, as JSON and as text."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from tailrace.explain import logs
from tailrace.explain.document import log_lines
from tailrace.explain.long import MOST, Long
from tailrace.explain.moved import Moved, Series, reach
from tailrace.explain.reading import moment
from tailrace.explain.show import brief
from tailrace.marks import reading as marks
from tailrace.marks.reading import Mark

# A closer look around a change.
LOOK_S = 900


def document(found: Long) -> dict[str, Any]:
    """As the document of a short run, with ``changes`` beside ``episodes``, which is empty."""
    return {
        "run": found.asker.run_id,
        "from": _time(found.start),
        "to": _time(found.end),
        "baseline": {},
        "episodes": [],
        "changes": [
            *(
                {
                    "kind": "step",
                    "moved": _moved(event),
                    "logs": log_lines(logged),
                    "marked_by_hand": [m.words for m in _marks(found, event)],
                }
                for event, logged in beside(found)
            ),
            *(
                {
                    "kind": "trend",
                    "covers": round(found.covers(each.series), 2),
                    "moved": _moved([each]),
                }
                for each in found.trends
            ),
        ],
        "unseen": found.unseen,
    }


def _time(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moved(event: list[Moved]) -> list[dict[str, Any]]:
    return [
        {
            "metric": each.series.name,
            "host": each.series.host or None,
            "device": each.series.device or None,
            "broker": each.series.broker if each.series.broker >= 0 else None,
            "time": _time(each.at),
            "after_first_s": _after(each, event[0]),
            "exact_to_the_second": each.exact,
            "not_before": _time(each.first),
            "not_after": _time(each.last),
            "before": float(f"{each.before:.6g}"),
            "during": float(f"{each.after:.6g}"),
            "unit": each.series.unit,
            "query": each.series.query,
        }
        for each in event
    ]


def _after(moved: Moved, first: Moved) -> int | None:
    """Seconds after the first; None where it cannot be told, or not which of the two was first."""
    if moved is first:
        return 0
    if (moved.first <= first.last and not _same(moved, first)) or moved.hidden or first.hidden:
        return None
    return moved.at - first.at


def _same(moved: Moved, first: Moved) -> bool:
    return moved.exact and first.exact and moved.at == first.at


def lines(found: Long) -> Iterator[str]:
    """Text, a line at a time."""
    hours = (found.end - found.start) / 3600
    count = len(found.events) + len(found.trends)
    told = f"{count} changes that lasted" if count else "no step and no trend"
    yield (
        f"{found.asker.run_id}: {told} in {hours:.1f} h,"
        f" {moment(found.start)} to {moment(found.end)} UTC, points of {found.point_s} s"
    )
    for number, (event, logged) in enumerate(beside(found), 1):
        yield ""
        yield f"{number}. step {when(event)}; in the order in which they moved:"
        for each in event:
            yield f"     {place(found, each.series)}  {_levels(each)}  {order(each, event)}"
            yield f"       {each.series.query}"
        if logged:
            for line in logs.told(logged):
                yield "   " + line
        first, last = reach(event)
        for mark in _marks(found, event):
            yield f"   {mark.told}"
        times = f"--from {moment(first - LOOK_S)} --to {moment(last + LOOK_S)}"
        yield f"   closer: tailrace explain {found.asker.run_id} {times}"
    if found.trends:
        yield ""
        yield "Trends:"
        for each in found.trends:
            yield f"     {place(found, each.series)}  {_levels(each)}  {over(found, each)}"
            yield f"       {each.series.query}"
    if found.unseen:
        yield ""
        yield "Not seen:"
        for sentence in found.unseen:
            yield f"  {sentence}"


def beside(found: Long) -> Iterator[tuple[list[Moved], logs.Logged | None]]:
    """Each step with the lines of logs around it."""
    return zip_longest(found.events, found.logged)


def _marks(found: Long, event: list[Moved]) -> Sequence[Mark]:
    """What people noted of the time of a step, which is known to a point at worst."""
    first, last = reach(event)
    return marks.beside(found.marks, first - found.point_s, last + found.point_s)


def place(found: Long, series: Series) -> str:
    """``drive_write_ms of sdb on b2``."""
    of = f" of {series.device}" if series.device else ""
    host = found.host_of(series)
    return series.name + of + (f" on {host}" if host else "")


def _levels(moved: Moved) -> str:
    values = f"{brief(moved.before)} → {brief(moved.after)} {moved.series.unit}"
    return f"{values} (×{moved.ratio:.2f})"


def when(event: Sequence[Moved]) -> str:
    """``at 2026-01-01T12:00:00``; of what only a gap knows, between which times."""
    first = event[0]
    return between(first) if first.hidden else f"at {moment(first.at)}"


def between(moved: Moved) -> str:
    """``between 2026-01-01T02:00:00 and 2026-01-01T08:00:00``."""
    return f"between {moment(moved.first)} and {moment(moved.last)}"


def order(moved: Moved, event: Sequence[Moved]) -> str:
    """When it moved against the first: ``40 s after the first``."""
    first = event[0]
    if moved.hidden:
        return f"somewhere {between(moved)}, no values there; it may have been gradual"
    if moved is first:
        if not moved.exact:
            return f"known to a point only, {between(moved)}"
        return "first" if _surely(event) else "first of those whose time is known"
    if _same(moved, first):
        return "in the same second"
    if moved.first <= first.last:
        return "about the same time"
    if first.hidden:
        return f"at least {moved.first - first.last} s after the first"
    about = "" if moved.exact and first.exact else "about "
    return f"{about}{moved.at - first.at} s after the first"


def lead(event: Sequence[Moved]) -> str:
    """What the first of an event did: ``moved first``, where that is known."""
    return "moved first" if _surely(event) else "moved"


def _surely(event: Sequence[Moved]) -> bool:
    """No other can have moved before the first, of those that are known to a point or better."""
    first = event[0]
    rivals = [each for each in event[1:] if each.first <= first.last]
    return not any(first.hidden or each.hidden or not first.exact for each in rivals)


def over(found: Long, trend: Moved) -> str:
    """What of the run a trend is about."""
    share = found.covers(trend.series)
    if share >= MOST:
        return "over the whole run"
    return f"over {share:.0%} of the run, {between(trend)}; nothing is known of the rest"
