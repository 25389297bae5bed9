# SPDX-License-Identifier: Apache-2.0
"""Tables and the RESULT line of the comparison."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from pipeline.paths import COMPARED, LOG, NONE, OURS, SPAN, EventPath
from pipeline.rounds import Round

Rounds = dict[str, list[Round]]


def totals(path: EventPath, rounds: Rounds) -> list[float]:
    """ns of CPU per event of each round, all stages with merges, the harness of that round taken off."""
    return [sum(stages(one, none).values()) for one, none in zip(rounds[path.name], rounds[NONE.name], strict=True)]


def stages(one: Round, none: Round) -> dict[str, float]:
    """ns per event by stage, in the order in which an event passes them."""
    return {
        "emitter": one.nanos(one.emitter_s) - none.nanos(none.emitter_s),
        "collector": one.nanos(one.collector_s),
        "inserts": one.nanos(one.inserts_s),
        "merges": one.nanos(one.merges_s),
        "last merge": one.nanos(one.final_merge_s),
    }


def line(one: Round) -> str:
    """What a round did, for whoever watches."""
    return (
        f"  {one.path.name:13} round {one.number}: {one.offered:,} offered in {one.offer_s:.1f} s,"
        f" {one.stored:,} stored, sent {one.end_s:.2f} s later, latest burst {one.late_us / 1000:.0f} ms;"
        f" CPU s: emitter {one.emitter_s:.2f}, collector {one.collector_s:.2f},"
        f" warehouse {one.inserts_s:.2f}+{one.merges_s:.2f}+{one.final_merge_s:.2f};"
        f" others {one.others:.0%} of the machine, load {one.load:.1f}"
    )


def table(rounds: Rounds) -> str:
    """Median (least – most) of all counted rounds, one column a path."""
    stage_rows: list[tuple[str, Callable[[Round, Round], float], int]] = [
        (f"{name}, ns", lambda one, none, name=name: stages(one, none)[name], 0)  # type: ignore[misc]
        for name in stages(rounds[OURS.name][0], rounds[NONE.name][0])
    ]
    rows: list[tuple[str, Callable[[Round, Round], float], int]] = [
        *stage_rows,
        ("all stages, ns", lambda one, none: sum(stages(one, none).values()), 0),
        ("harness taken off, ns", lambda one, none: none.nanos(none.emitter_s), 0),
        ("live metrics' store, ns", lambda one, none: one.nanos(one.live_metrics_s), 0),
        ("wire to collector, B", lambda one, none: one.wire_bytes / max(1, one.stored), 2),
        ("wire to warehouse, B", lambda one, none: one.insert_bytes / max(1, one.stored), 2),
        ("disk, merged, B", lambda one, none: one.disk_bytes / max(1, one.stored), 2),
        ("lost, events a round", lambda one, none: one.lost, 0),
        ("others' CPU, % of machine", lambda one, none: 100 * one.others, 0),
    ]
    lines = [f"{'per event':26}" + "".join(f"{path.title:>32}" for path in COMPARED)]
    for name, value, digits in rows:
        cells = [
            _spread([value(*pair) for pair in zip(rounds[path.name], rounds[NONE.name], strict=True)], digits)
            for path in COMPARED
        ]
        lines.append(f"{name:26}" + "".join(f"{cell:>32}" for cell in cells))
    ours = totals(OURS, rounds)
    for path in (LOG, SPAN):
        ratios = [stock / own for stock, own in zip(totals(path, rounds), ours, strict=True)]
        each = ", ".join(f"{ratio:.1f}" for ratio in ratios)
        lines.append(f"{path.name} / ours, by round: {each}; median {statistics.median(ratios):.1f}")
    return "\n".join(lines)


def _spread(values: Sequence[float], digits: int) -> str:
    low, high, middle = min(values), max(values), statistics.median(values)
    return f"{middle:,.{digits}f} ({low:,.{digits}f} – {high:,.{digits}f})"


def result(rounds: Rounds) -> str:
    """Medians; losses are sums over all counted rounds, of both stock paths together."""
    ours, log, span = (totals(path, rounds) for path in (OURS, LOG, SPAN))
    ratio = statistics.median(stock / own for stock, own in zip(log, ours, strict=True))
    own = rounds[OURS.name]
    return (
        f"RESULT ours_ns={statistics.median(ours):.0f} stock_log_ns={statistics.median(log):.0f}"
        f" stock_span_ns={statistics.median(span):.0f} ratio={ratio:.1f}"
        f" wire_b={statistics.median(one.wire_bytes / one.stored for one in own):.2f}"
        f" disk_b={statistics.median(one.disk_bytes / one.stored for one in own):.2f}"
        f" lost_ours={sum(one.lost for one in own)}"
        f" lost_stock={sum(one.lost for path in (LOG, SPAN) for one in rounds[path.name])}"
    )
