# SPDX-License-Identifier: Apache-2.0
"""Seconds by event size as a line chart, by partitions and way to thread, and baselines."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, KEY = 760, 420, 60, 46, 18, 190
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b")
# The grid's columns of ratios, and what each is to; in grey.
BASELINES = {"wc_ratio": "wc -l", "cat_wc_ratio": "cat | wc -l", "kcat_ratio": "kcat"}


def grid(rows: Sequence[Mapping[str, Any]]) -> str:
    """An SVG of rows with ``event_bytes``, ``partitions``, ``threads`` and ``seconds``; the axis of
    seconds is logarithmic. Sixteen partitions are dashed. Baselines are of the ratios, if any."""
    rows = [*rows, *_baselines(rows)]
    sizes = sorted({int(row["event_bytes"]) for row in rows})
    names = BASELINES.values()
    ways = sorted({str(row["threads"]) for row in rows}, key=lambda way: (way in names, way))
    seconds = [max(1e-3, float(row["seconds"])) for row in rows]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    high = max(high, low + 1)

    def x(size: int) -> float:
        span = WIDTH - LEFT - KEY
        return LEFT + span * (sizes.index(size) + 0.5) / len(sizes)

    def y(value: float) -> float:
        share = (math.log10(max(1e-3, value)) - low) / (high - low)
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        at = y(10**power)
        parts.append(
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - KEY}" stroke="#ddd"/>'
            f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10**power:g} s</text>'
        )
    for size in sizes:
        text = f"{size // 1024} KiB" if size >= 1024 else f"{size} B"
        parts.append(
            f'<text x="{x(size):.1f}" y="{HEIGHT - 24}" text-anchor="middle">{text}</text>'
        )
    place = TOP
    for number, way in enumerate(ways):
        for partitions in sorted({int(row["partitions"]) for row in rows}):
            own = [r for r in rows if r["threads"] == way and int(r["partitions"]) == partitions]
            if not own:
                continue
            colour = "#888" if way in names else COLOURS[number % len(COLOURS)]
            style = f'fill="none" stroke="{colour}" stroke-width="2"'
            style += ' stroke-dasharray="6 3"' if partitions > 1 else ""
            line = " ".join(
                f"{x(int(r['event_bytes'])):.1f},{y(float(r['seconds'])):.1f}"
                for r in sorted(own, key=lambda r: int(r["event_bytes"]))
            )
            place += 20
            parts.append(
                f'<polyline points="{line}" {style}/>'
                f'<path d="M{WIDTH - KEY + 12} {place - 4}h28" {style}/>'
                f'<text x="{WIDTH - KEY + 46}" y="{place}">{way}{_of(way, partitions)}</text>'
            )
    parts.append(
        f'<text x="{LEFT}" y="{HEIGHT - 6}">event size; time to read all of it</text></svg>'
    )
    return "\n".join(parts) + "\n"


def _of(way: str, partitions: int) -> str:
    if way not in BASELINES.values() or way == "kcat":
        return f", {partitions} partition{'s' if partitions > 1 else ''}"
    return ""


def _baselines(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A row for each event size, and for kcat each topic, of what was measured beside the grid."""
    found: dict[tuple[str, int, int], float] = {}
    for row in rows:
        for column, name in BASELINES.items():
            if row.get(column):
                partitions = int(row["partitions"]) if name == "kcat" else 1
                place = (name, int(row["event_bytes"]), partitions)
                found[place] = float(row["seconds"]) / float(row[column])
    return [
        {"threads": name, "event_bytes": size, "partitions": partitions, "seconds": seconds}
        for (name, size, partitions), seconds in found.items()
    ]
