# SPDX-License-Identifier: Apache-2.0
"""Tables and the RESULT line of the comparison."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from lab.bench.pipeline.paths import CLIENT, COMPARED, LOG, NONE, OURS, SPAN, EventPath
from lab.bench.pipeline.rounds import Round

Rounds = dict[str, list[Round]]


@dataclass(frozen=True)
class Base:
    """The cost without any path: median over the empty rounds between the others.

    ``harness_ns`` an event for making and pacing it; ``rest_s`` of CPU a second that the warehouse uses idle.
    """

    harness_ns: float
    rest_s: float

    @classmethod
    def of(cls, rounds: Rounds) -> Self:
        empty = rounds[NONE.name]
        return cls(
            statistics.median(one.nanos(one.emitter_s) for one in empty),
            statistics.median(one.inserts.cpu / one.inserts.wall for one in empty),
        )


def stages(one: Round, base: Base) -> dict[str, float]:
    """ns per event by stage, in the order in which an event passes them, minus the cost without a path."""
    return {
        "emitter": one.nanos(one.emitter_s) - base.harness_ns,
        "collector": one.nanos(one.collector_s),
    } | {
        name: one.nanos(step.cpu - base.rest_s * step.wall)
        for name, step in (("inserts", one.inserts), ("merges", one.merges), ("last merge", one.final_merge))
    }


def totals(path: EventPath, rounds: Rounds) -> list[float]:
    """ns of CPU per event of each round, all stages with merges."""
    base = Base.of(rounds)
    return [sum(stages(one, base).values()) for one in rounds[path.name]]


def line(one: Round) -> str:
    """One round as a line of progress."""
    return (
        f"{one.path.name:13} round {one.number}: {one.offered:,} offered in {one.offer_s:.1f} s,"
        f" {one.stored:,} stored, sent {one.end_s:.2f} s later, latest burst {one.late_us / 1000:.0f} ms;"
        f" CPU s: emitter {one.emitter_s:.2f}, collector {one.collector_s:.2f},"
        f" warehouse {one.inserts.cpu:.2f}+{one.merges.cpu:.2f}+{one.final_merge.cpu:.2f};"
        f" others {one.others:.0%} of the machine, load {one.load:.1f}"
    )


def table(rounds: Rounds) -> str:
    """Median (least – most) of all counted rounds, one column a path."""
    base = Base.of(rounds)
    rows: list[tuple[str, Callable[[Round], float], int]] = [
        *((f"{name}, ns", _stage(name, base), 0) for name in stages(rounds[OURS.name][0], base)),
        ("all stages, ns", lambda one: sum(stages(one, base).values()), 0),
        ("live metrics' store, ns", lambda one: one.nanos(one.live_metrics_s), 0),
        ("wire to collector, B", lambda one: one.wire_bytes / max(1, one.stored), 2),
        ("wire to warehouse, B", lambda one: one.insert_bytes / max(1, one.stored), 2),
        ("disk, merged, B", lambda one: one.disk_bytes / max(1, one.stored), 2),
        ("lost, events a round", lambda one: one.lost, 0),
        ("others' CPU, % of machine", lambda one: 100 * one.others, 0),
    ]
    lines = [f"{'per event':26}" + "".join(f"{path.title:>32}" for path in COMPARED)]
    for name, value, digits in rows:
        cells = [_spread([value(one) for one in rounds[path.name]], digits) for path in COMPARED]
        lines.append(f"{name:26}" + "".join(f"{cell:>32}" for cell in cells))
    lines.append(
        f"taken off: {base.harness_ns:.0f} ns an event for making and pacing it,"
        f" {base.rest_s * 1e3:.1f} ms/s for the warehouse at rest"
    )
    lossy = [p.title for p in (LOG, SPAN) if any(one.lost > one.offered / 100 for one in rounds[p.name])]
    if lossy:
        lines.append(
            f"{' and '.join(lossy)}: more than 1 % lost, and what was spent on lost events is in the figure;"
            " free the machine or lower BENCH_RATE for a fair ratio"
        )
    for path in (LOG, SPAN, CLIENT):
        ratios = _ratios((path,), rounds)
        each = ", ".join(f"{ratio:.1f}" for ratio in ratios)
        lines.append(f"{path.name} / ours, by round: {each}; median {statistics.median(ratios):.1f}")
    return "\n".join(lines)


def _stage(name: str, base: Base) -> Callable[[Round], float]:
    return lambda one: stages(one, base)[name]


def _spread(values: Sequence[float], digits: int) -> str:
    low, high, middle = min(values), max(values), statistics.median(values)
    return f"{middle:,.{digits}f} ({low:,.{digits}f} – {high:,.{digits}f})"


def _ratios(paths: Sequence[EventPath], rounds: Rounds) -> list[float]:
    """The cheapest of ``paths`` over ours, round by round."""
    costs = zip(*(totals(path, rounds) for path in paths), strict=True)
    return [min(others) / own for others, own in zip(costs, totals(OURS, rounds), strict=True)]


def result(by_shape: dict[str, Rounds]) -> str:
    """Medians; losses are sums over all counted rounds, of both stock paths together."""
    words = [_result(shape, rounds) for shape, rounds in by_shape.items()]
    return "RESULT " + " ".join(words)


def _result(shape: str, rounds: Rounds) -> str:
    """The keyless figures have no prefix, as they had before there were others."""
    own = rounds[OURS.name]
    figures = {
        "ours_ns": f"{statistics.median(totals(OURS, rounds)):.0f}",
        "stock_log_ns": f"{statistics.median(totals(LOG, rounds)):.0f}",
        "stock_span_ns": f"{statistics.median(totals(SPAN, rounds)):.0f}",
        "client_ns": f"{statistics.median(totals(CLIENT, rounds)):.0f}",
        "ratio": f"{statistics.median(_ratios((LOG, SPAN), rounds)):.1f}",
        "client_ratio": f"{statistics.median(_ratios((CLIENT,), rounds)):.2f}",
        "wire_b": f"{statistics.median(one.wire_bytes / one.stored for one in own):.2f}",
        "disk_b": f"{statistics.median(one.disk_bytes / one.stored for one in own):.2f}",
        "lost_ours": sum(one.lost for one in own),
        "lost_stock": sum(one.lost for path in (LOG, SPAN) for one in rounds[path.name]),
        "lost_client": sum(one.lost for one in rounds[CLIENT.name]),
    }
    prefix = "" if shape == "keyless" else f"{shape}_"
    return " ".join(f"{prefix}{name}={value}" for name, value in figures.items())
