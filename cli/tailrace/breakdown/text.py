# SPDX-License-Identifier: Apache-2.0
"""Where messages spent their time, as text of at most 100 columns."""

from collections.abc import Iterator, Sequence

from tailrace.breakdown.parts import PARTS, SIDES, band_words, label
from tailrace.breakdown.reading import Breakdown, Place, times

WIDTH = 100
BAR = 34
EIGHTHS = " ▏▎▍▌▋▊▉"
# Stages that a table by place has a column for; the others are one column.
COLUMNS = 6


def lines(found: Breakdown) -> Iterator[str]:
    """Text, a line at a time."""
    choice = found.choice
    yield f"{found.run_id} · {SIDES[choice.side]} · {band_words(choice.band)}"
    yield f"{choice.window}, {times(choice)}"
    yield _measured(found)
    yield ""
    yield from _by_place(found) if found.by else _table(found)


def latency(us: float) -> str:
    """µs with three digits, in the unit that fits: ``842 µs``, ``3.85 ms``, ``1.24 s``."""
    size = abs(us)
    for limit, factor, unit in ((999.5, 1.0, "µs"), (999_500, 1e-3, "ms")):
        if size < limit:
            return f"{_digits(us * factor, unit == 'µs')} {unit}"
    return f"{_digits(us * 1e-6)} s "


def _digits(number: float, whole: bool = False) -> str:
    size = abs(number)
    if whole and (size >= 9.95 or number == int(number)):
        return f"{number:.0f}"
    return f"{number:.{0 if size >= 99.95 else 1 if size >= 9.995 else 2}f}"


def _measured(found: Breakdown) -> str:
    row, counted = found.measured, f"{found.whole['messages']:,} messages"
    if row["measured"] == row["messages"]:
        return f"{counted}; every message of the window has its stages"
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in row["reasons"])
    return f"{counted}; {100 * row['measured_share']:.2f} % of the window's have their stages, not measured: {reasons}"


def _table(found: Breakdown) -> Iterator[str]:
    yield f"{'stage':15} {'p50':>9} {'p99':>9} {'mean':>9} {'share':>8}"
    most = max((row["share"] for row in found.stages), default=1) or 1
    for row in found.stages:
        numbers = " ".join(f"{latency(row[name]):>9}" for name in ("p50_us", "p99_us", "mean_us"))
        line = f"{label(row['stage']):15} {numbers} {100 * row['share']:6.1f} %  {bar(row['share'] / most)}"
        yield line.rstrip()
    whole = found.whole
    numbers = " ".join(f"{latency(whole[name]):>9}" for name in ("p50_us", "p99_us", "mean_us"))
    yield "─" * (55 + BAR)
    yield f"{'end to end' if found.choice.side == 'delivery' else 'publish latency':15} {numbers} {100:6.1f} %"
    yield ""
    yield "Means and shares add up exactly; percentiles of stages do not."
    largest = max(found.stages, key=lambda row: row["share"], default=None)
    if largest is not None:
        name = largest["stage"]
        yield f"Most of it is {label(name)}: {PARTS[name]}."


def bar(share: float, width: int = BAR) -> str:
    """A bar of ``share`` of the width, to an eighth of a column."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _by_place(found: Breakdown) -> Iterator[str]:
    shown = _largest(found.places)
    names = [place.name for place in found.places]
    if found.by == "partition" and len({name.rpartition("/")[0] for name in names}) == 1:
        names = [name.rpartition("/")[2] for name in names]
    room = max([len(found.by), *(len(name) for name in names)])
    room = min(room, WIDTH - 21 - 10 * (len(shown) + 1))
    heads = _heads([*shown, "others"])
    for row, head in enumerate(heads):
        first = f"{found.by:{room}} {'messages':>10} {'mean':>9}" if row == len(heads) - 1 else " " * (room + 21)
        yield (first + "".join(f" {word:>9}" for word in head)).rstrip()
    for name, place in zip(names, found.places, strict=True):
        rest = sum(us for stage, us in place.stages.items() if stage not in shown)
        cells = [place.stages.get(stage, 0) for stage in shown] + [rest]
        numbers = "".join(f" {latency(us):>9}" for us in (place.latency_us, *cells))
        yield f"{name[-room:]:{room}} {place.messages:>10,}{numbers}"
    yield ""
    yield "Mean time of a message in each stage; a line's stages add up to its mean."


def _largest(places: Sequence[Place]) -> list[str]:
    spent = dict.fromkeys(PARTS, 0.0)
    for place in places:
        for stage, us in place.stages.items():
            spent[stage] += abs(us) * place.messages
    most = sorted((stage for stage in PARTS if spent[stage]), key=lambda stage: -spent[stage])[:COLUMNS]
    return [stage for stage in PARTS if stage in most]


def _heads(names: Sequence[str]) -> list[list[str]]:
    """Names in two rows, for columns of nine characters."""
    split = [label(name).split(" ") for name in names]
    deepest = max(len(words) for words in split)
    return [[([""] * (deepest - len(words)) + words)[row] for words in split] for row in range(deepest)]
