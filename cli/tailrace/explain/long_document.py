# SPDX-License-Identifier: Apache-2.0
"""What changed over hours, as JSON and as text."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from tailrace.explain import logs
from tailrace.explain.document import log_lines
from tailrace.explain.long import Long, Moved, Series
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
            *({"kind": "trend", "moved": _moved([each])} for each in found.trends),
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
            "after_first_s": each.at - event[0].at,
            "exact_to_the_second": each.exact,
            "before": float(f"{each.before:.6g}"),
            "during": float(f"{each.after:.6g}"),
            "unit": each.series.unit,
            "query": each.series.query,
        }
        for each in event
    ]


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
        yield f"{number}. step at {moment(event[0].at)}; in the order in which they moved:"
        for each in event:
            yield f"     {place(found, each.series)}  {_levels(each)}  {order(each, event[0])}"
            yield f"       {each.series.query}"
        if logged:
            for line in logs.told(logged):
                yield "   " + line
        since, to = moment(event[0].at - LOOK_S), moment(event[-1].at + LOOK_S)
        for mark in _marks(found, event):
            yield f"   {mark.told}"
        yield f"   closer: tailrace explain {found.asker.run_id} --from {since} --to {to}"
    if found.trends:
        yield ""
        yield "Trends over the whole run:"
        for each in found.trends:
            yield f"     {place(found, each.series)}  {_levels(each)}"
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
    return marks.beside(found.marks, event[0].at - found.point_s, event[-1].at + found.point_s)


def place(found: Long, series: Series) -> str:
    """``drive_write_ms of sdb on b2``."""
    of = f" of {series.device}" if series.device else ""
    host = found.host_of(series)
    return series.name + of + (f" on {host}" if host else "")


def _levels(moved: Moved) -> str:
    values = f"{brief(moved.before)} → {brief(moved.after)} {moved.series.unit}"
    return f"{values} (×{moved.ratio:.2f})"


def order(moved: Moved, first: Moved) -> str:
    """When it moved against the first: ``40 s after the first``."""
    about = "" if moved.exact else "about "
    if moved is first:
        return "first"
    return f"{about}{moved.at - first.at} s after the first"
