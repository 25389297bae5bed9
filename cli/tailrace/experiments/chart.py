# SPDX-License-Identifier: Apache-2.0
"""Seconds by event size as a line chart, by partitions and way to thread, and baselines."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, KEY = 760, 420, 60, 46, 18, 190
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b")
# In greys, the baselines; black is another client.
GREYS = {"wc -l": "#bbb", "cat | wc -l": "#999", "kcat": "#000", "librdkafka": "#555"}
# The grid's columns of ratios, and what each is to.
BASELINES = {
    **{"wc_ratio": "wc -l", "cat_wc_ratio": "cat | wc -l"},
    **{"kcat_ratio": "kcat", "rdkafka_ratio": "librdkafka"},
}
# Those that read topics, and not a file of all records.
OF_TOPICS = ("kcat", "librdkafka")
LINE = 20
Row = Mapping[str, Any]


def grid(rows: Sequence[Row]) -> str:
    """An SVG of rows with ``event_bytes``, ``partitions``, ``threads`` and ``seconds``; the axis of
    seconds is logarithmic. Sixteen partitions are dashed. Baselines are of the ratios, if any. A
    place whose ``unsound`` says that it may not be judged is a hollow circle."""
    rows = [*rows, *_baselines(rows)]
    sizes = sorted({int(row["event_bytes"]) for row in rows})
    names = BASELINES.values()
    ways = sorted({str(row["threads"]) for row in rows}, key=lambda way: (way in names, way))
    seconds = [max(1e-3, float(row["seconds"])) for row in rows]
    drawn = {(way, partitions): own for way in ways for partitions, own in _by_partitions(rows, way)}
    # The key has a line for each, and the full grid has many.
    tall = max(HEIGHT, TOP + LINE * (len(drawn) + 1))
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    high = max(high, low + 1)

    def x(size: int) -> float:
        span = WIDTH - LEFT - KEY
        return LEFT + span * (sizes.index(size) + 0.5) / len(sizes)

    def y(value: float) -> float:
        share = (math.log10(max(1e-3, value)) - low) / (high - low)
        return tall - BOTTOM - share * (tall - BOTTOM - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{tall}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        at = y(10**power)
        parts.append(
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - KEY}" stroke="#ddd"/>'
            f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10**power:g} s</text>'
        )
    for size in sizes:
        text = f"{size // 1024} KiB" if size >= 1024 else f"{size} B"
        parts.append(f'<text x="{x(size):.1f}" y="{tall - 24}" text-anchor="middle">{text}</text>')
    place = TOP
    for (way, partitions), own in drawn.items():
        colour = GREYS.get(way) or COLOURS[ways.index(way) % len(COLOURS)]
        style = f'fill="none" stroke="{colour}" stroke-width="2"'
        style += ' stroke-dasharray="6 3"' if partitions > 1 else ""
        line = " ".join(
            f"{x(int(r['event_bytes'])):.1f},{y(float(r['seconds'])):.1f}"
            for r in sorted(own, key=lambda r: int(r["event_bytes"]))
        )
        place += LINE
        parts.append(
            f'<polyline points="{line}" {style}/>'
            f'<path d="M{WIDTH - KEY + 12} {place - 4}h28" {style}/>'
            f'<text x="{WIDTH - KEY + 46}" y="{place}">{way}{_of(way, partitions)}</text>'
        )
        parts += [
            f'<circle cx="{x(int(r["event_bytes"])):.1f}" cy="{y(float(r["seconds"])):.1f}" r="4" '
            f'fill="white" stroke="{colour}"/>'
            for r in own
            if r.get("unsound")
        ]
    says = "event size; time to read all of it"
    if any(row.get("unsound") for row in rows):
        says += "; hollow: may not be judged"
    parts.append(f'<text x="{LEFT}" y="{tall - 6}">{says}</text></svg>')
    return "\n".join(parts) + "\n"


def _by_partitions(rows: Sequence[Row], way: str) -> Iterator[tuple[int, list[Row]]]:
    own = [row for row in rows if row["threads"] == way]
    for partitions in sorted({int(row["partitions"]) for row in own}):
        yield partitions, [row for row in own if int(row["partitions"]) == partitions]


def _of(way: str, partitions: int) -> str:
    if way not in BASELINES.values() or way in OF_TOPICS:
        return f", {partitions} partition{'s' if partitions > 1 else ''}"
    return ""


def _baselines(rows: Sequence[Row]) -> list[Row]:
    """A row for each event size, of clients for each topic, of what was measured besides."""
    found: dict[tuple[str, int, int], float] = {}
    for row in rows:
        for column, name in BASELINES.items():
            if row.get(column):
                partitions = int(row["partitions"]) if name in OF_TOPICS else 1
                place = (name, int(row["event_bytes"]), partitions)
                found[place] = float(row["seconds"]) / float(row[column])
    return [
        {"threads": name, "event_bytes": size, "partitions": partitions, "seconds": seconds}
        for (name, size, partitions), seconds in found.items()
    ]
