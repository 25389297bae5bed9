# SPDX-License-Identifier: Apache-2.0
"""When the series of a long run changed, as exactly as is known, and which changed together."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from tailrace.explain.changes import NEAR, changes, turning_point
from tailrace.queries.ask import RunReader, moment

# Values of a unit below its floor do not matter; the floor is added before the logarithm.
FLOORS = {"ms": 0.05, "share": 0.02, "cores": 0.02, "per s": 1.0, "MB/s": 0.1, "requests": 0.05}
# Changes this close to each other are one group: in points, and at least in seconds.
TOGETHER_POINTS, TOGETHER_S = 15, 300
# Seconds and points examined on either side of a step to find the order of changes.
CLOSE_S, CLOSE_POINTS = 600, 4
# The second of a step is known if there are this many values on either side of it, the nearest two
# are at most this far apart, and the two sides differ by this share of the step.
EACH_SIDE, NEXT_S, SHARE = 15, 5, 0.5


@dataclass(frozen=True)
class Series:
    """Values by point; ``times`` are seconds since 1970, one for each value."""

    name: str
    unit: str
    host: str
    device: str
    broker: int
    times: Sequence[int]
    values: Sequence[float]
    query: str


@dataclass(frozen=True)
class Shift:
    """A step or trend of one series. Times are seconds since 1970.

    ``at``: the likely time; ``first`` and ``last``: its bounds, for a trend the span of the series;
    ``hidden``: values are missing between the bounds, and ``at`` is the earliest time; ``look``: the
    span between the neighbouring steps of the same series.
    """

    series: Series
    kind: str
    at: int
    first: int
    last: int
    before: float
    after: float
    hidden: bool = False
    look: tuple[int, int] = (0, 0)

    @property
    def exact(self) -> bool:
        """Whether the second is known."""
        return self.first == self.last

    @property
    def ratio(self) -> float:
        return _ratio(self.series, self.before, self.after)

    def same_second(self, other: "Shift") -> bool:
        return self.exact and other.exact and self.at == other.at


def _ratio(series: Series, before: float, after: float) -> float:
    floor = FLOORS[series.unit]
    return (max(after, 0) + floor) / (max(before, 0) + floor)


def shifts(series: Series, point_s: int) -> Iterator[Shift]:
    """The steps of a series, each known to a point, then its trend."""
    times = series.times
    places = [(at - times[0]) // point_s for at in times]
    found = changes(series.values, FLOORS[series.unit], places)
    steps = [each for each in found if each.kind == "step"]
    close = max(CLOSE_S, CLOSE_POINTS * point_s)
    for number, step in enumerate(steps):
        at = times[step.at]
        since, to = at - close, at + close
        if number:
            since = max(since, (times[steps[number - 1].at] + at) // 2)
        if number + 1 < len(steps):
            to = min(to, (at + times[steps[number + 1].at]) // 2)
        first, last, hidden = _between(times, step.at, point_s)
        guess = first if hidden else at
        levels = (step.before, step.after)
        yield Shift(series, "step", guess, first, last, *levels, hidden, (since, to))
    for trend in found[len(steps) :]:
        end = times[-1] + point_s
        yield Shift(series, "trend", times[0], times[0], end, trend.before, trend.after)


def _between(times: Sequence[int], at: int, point_s: int) -> tuple[int, int, bool]:
    """Earliest and latest second of the step at that point, and whether points are missing there."""
    first, last, hidden = times[at] - point_s, times[at] + point_s, False
    for n in range(max(1, at - NEAR), min(len(times), at + NEAR + 1)):
        if times[n] - times[n - 1] > point_s:
            first, last = min(first, times[n - 1]), max(last, times[n] + point_s)
            hidden = True
    return first, last, hidden


def to_the_second(reader: RunReader, steps: Iterable[Shift], point_s: int) -> list[Shift]:
    """The same steps, each with its exact second if the values by second show it."""
    return [found for near in _near(steps, point_s) for found in _exact_steps(reader, near)]


def _near(steps: Iterable[Shift], point_s: int) -> list[list[Shift]]:
    """Groups of steps that one query covers, so that no query reads hours."""
    groups: list[list[Shift]] = []
    for step in sorted(steps, key=lambda each: each.look):
        if groups and step.look[0] - groups[-1][0].look[0] <= _limit(point_s):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _limit(point_s: int) -> int:
    return max(TOGETHER_POINTS * point_s, TOGETHER_S)


def _exact_steps(reader: RunReader, steps: Sequence[Shift]) -> Iterator[Shift]:
    names = ",".join(sorted({each.series.name for each in steps}))
    since = moment(min(each.look[0] for each in steps))
    to = moment(max(each.look[1] for each in steps))
    seconds: dict[tuple[str, str, str, int], list[tuple[int, float]]] = {}
    for row in reader.ask("signals_per_second", signal=names, since=since, to=to):
        key = (row["signal"], row["host"], row["device"], row["broker"])
        seconds.setdefault(key, []).append((int(row["time"].timestamp()), row["value"]))
    for step in steps:
        series = step.series
        known = seconds.get((series.name, series.host, series.device, series.broker), [])
        yield _exact(step, [each for each in known if step.look[0] <= each[0] <= step.look[1]])


def _exact(step: Shift, known: Sequence[tuple[int, float]]) -> Shift:
    if len(known) < 2 * EACH_SIDE:
        return step
    values = [value for _, value in known]
    turn = turning_point(values, FLOORS[step.series.unit])
    if not EACH_SIDE <= turn <= len(values) - EACH_SIDE:
        return step
    # If one of the two levels is missing in the values, any second would fit, so none is named.
    found = _ratio(step.series, median(values[:turn]), median(values[turn:]))
    if math.log(found) / math.log(step.ratio) < SHARE:
        return step
    old, new = known[turn - 1][0], known[turn][0]
    if new - old <= NEXT_S:
        return replace(step, at=new, first=new, last=new, hidden=False)
    return replace(step, at=old, first=old, last=new, hidden=True)


def group_steps(steps: Sequence[Shift], point_s: int) -> list[list[Shift]]:
    """Groups: the steps at about the same time, in their possible order.

    A second step of the same series begins another group. A step in a long gap joins the first group
    that it may belong to.
    """
    limit = _limit(point_s)
    groups: list[list[Shift]] = []
    for step in sorted((s for s in steps if s.last - s.first <= limit), key=lambda s: s.at):
        group = groups[-1] if groups else []
        again = any(each.series is step.series for each in group)
        if group and not again and step.at - group[0].at <= limit:
            group.append(step)
        else:
            groups.append([step])
    for step in sorted((s for s in steps if s.last - s.first > limit), key=lambda s: s.first):
        reaches = ((group, reach(group)) for group in groups)
        fits = (group for group, (a, b) in reaches if step.first <= b and a <= step.last)
        if (found := next(fits, None)) is None:
            groups.append([step])
        else:
            found.append(step)
    # The step with the earlier last possible time comes first; then the one with the earlier time.
    ordered = [sorted(group, key=lambda each: (each.last, each.at)) for group in groups]
    return sorted(ordered, key=reach)


def reach(group: Sequence[Shift]) -> tuple[int, int]:
    """First and last second of a group. Hidden steps count only if all of its steps are hidden."""
    known = [each for each in group if not each.hidden] or group
    return min(each.first for each in known), max(each.last for each in known)
