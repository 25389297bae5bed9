# SPDX-License-Identifier: Apache-2.0
"""The explanation of a long run as text for a terminal."""

from collections.abc import Iterator, Sequence

from tailrace.explain import logs
from tailrace.explain.long_run import MOST, LongExplanation
from tailrace.explain.shifts import Series, Shift, reach
from tailrace.explain.text import brief
from tailrace.queries.ask import moment

# Seconds on either side of a step that the command for a closer look covers.
LOOK_S = 900


def lines(found: LongExplanation) -> Iterator[str]:
    """Text, a line at a time."""
    hours = (found.end - found.start) / 3600
    count = len(found.groups) + len(found.trends)
    result = f"{count} lasting changes" if count else "no step and no trend"
    yield (
        f"{found.reader.run_id}: {result} in {hours:.1f} h,"
        f" {moment(found.start)} to {moment(found.end)} UTC, points of {found.point_s} s"
    )
    for number, (group, logged) in enumerate(found.with_logs(), 1):
        yield ""
        yield f"{number}. step {when(group)}; in the order in which they moved:"
        for each in group:
            yield f"     {place(found, each.series)}  {_levels(each)}  {order(each, group)}"
            yield f"       {each.series.query}"
        if logged:
            for line in logs.lines(logged):
                yield "   " + line
        first, last = reach(group)
        for mark in found.marks_beside(group):
            yield f"   {mark.sentence}"
        times = f"--from {moment(first - LOOK_S)} --to {moment(last + LOOK_S)}"
        yield f"   closer: tailrace explain {found.reader.run_id} {times}"
    if found.trends:
        yield ""
        yield "Trends:"
        for each in found.trends:
            yield f"     {place(found, each.series)}  {_levels(each)}  {over(found, each)}"
            yield f"       {each.series.query}"
    if found.unseen:
        yield ""
        yield "Not measured:"
        for sentence in found.unseen:
            yield f"  {sentence}"


def place(found: LongExplanation, series: Series) -> str:
    """``drive_write_ms of sdb on b2``."""
    device = f" of {series.device}" if series.device else ""
    host = found.host_of(series)
    return series.name + device + (f" on {host}" if host else "")


def _levels(shift: Shift) -> str:
    values = f"{brief(shift.before)} → {brief(shift.after)} {shift.series.unit}"
    return f"{values} (×{shift.ratio:.2f})"


def when(group: Sequence[Shift]) -> str:
    """``at 2026-01-01T12:00:00``; if a gap hides the time, ``between … and …``."""
    first = group[0]
    return between(first) if first.hidden else f"at {moment(first.at)}"


def between(shift: Shift) -> str:
    """``between 2026-01-01T02:00:00 and 2026-01-01T08:00:00``."""
    return f"between {moment(shift.first)} and {moment(shift.last)}"


def order(shift: Shift, group: Sequence[Shift]) -> str:
    """When it moved relative to the first: ``40 s after the first``."""
    first = group[0]
    if shift.hidden:
        return f"somewhere {between(shift)}, no values there; it may have been gradual"
    if shift is first:
        if not shift.exact:
            return f"known to a point only, {between(shift)}"
        return "first" if _certainly_first(group) else "first of those whose time is known"
    if shift.same_second(first):
        return "in the same second"
    if shift.first <= first.last:
        return "about the same time"
    if first.hidden:
        return f"at least {shift.first - first.last} s after the first"
    about = "" if shift.exact and first.exact else "about "
    return f"{about}{shift.at - first.at} s after the first"


def lead(group: Sequence[Shift]) -> str:
    """What the first shift of a group did: ``moved first`` if that is certain, else ``moved``."""
    return "moved first" if _certainly_first(group) else "moved"


def _certainly_first(group: Sequence[Shift]) -> bool:
    """Whether no other shift of the group can have come before the first."""
    first = group[0]
    rivals = [each for each in group[1:] if each.first <= first.last]
    return not any(first.hidden or each.hidden or not first.exact for each in rivals)


def over(found: LongExplanation, trend: Shift) -> str:
    """The part of the run that a trend covers."""
    share = found.covers(trend.series)
    if share >= MOST:
        return "over the whole run"
    return f"over {share:.0%} of the run, {between(trend)}; the rest has no values"
