# SPDX-License-Identifier: Apache-2.0
"""A line chart of seconds by event size, for each number of partitions and threading mode, with baselines."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jinja2

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, KEY = 760, 420, 60, 46, 18, 190
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b")
# Baselines are grey; another client is black.
GREYS = {"wc -l": "#bbb", "cat | wc -l": "#999", "kcat": "#000", "librdkafka": "#555"}
# The table's columns of ratios, and the baseline of each.
BASELINES = {
    **{"wc_ratio": "wc -l", "cat_wc_ratio": "cat | wc -l"},
    **{"kcat_ratio": "kcat", "rdkafka_ratio": "librdkafka"},
}
# Baselines that read topics, not a file of all records.
TOPIC_READERS = ("kcat", "librdkafka")
LINE = 20
# Shorter times are drawn at this one, because the axis is logarithmic.
LEAST_S = 1e-3
Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Scale:
    """Where sizes and seconds are in a picture of height ``tall``; powers of ten from ``low`` to ``high``."""

    sizes: Sequence[int]
    low: int
    high: int
    tall: int

    def x(self, size: int) -> float:
        return LEFT + (WIDTH - LEFT - KEY) * (self.sizes.index(size) + 0.5) / len(self.sizes)

    def y(self, seconds: float) -> float:
        share = (math.log10(max(LEAST_S, seconds)) - self.low) / (self.high - self.low)
        return self.tall - BOTTOM - share * (self.tall - BOTTOM - TOP)

    def point(self, row: Row) -> tuple[str, str]:
        return f"{self.x(int(row['event_bytes'])):.1f}", f"{self.y(float(row['seconds'])):.1f}"

    def seconds(self) -> list[tuple[float, str]]:
        """The labels of the axis of seconds, and where they are."""
        return [(self.y(10**power), f"{10**power:g} s") for power in range(self.low, self.high + 1)]


def grid(rows: Sequence[Row]) -> str:
    """An SVG of rows with ``event_bytes``, ``partitions``, ``threads`` and ``seconds``; the axis of
    seconds is logarithmic. Sixteen partitions are dashed. Baselines come from the ratios, if any. A row
    with ``unsound`` may not be judged and is a hollow circle."""
    rows = [*rows, *_baselines(rows)]
    names = BASELINES.values()
    ways = sorted({str(row["threads"]) for row in rows}, key=lambda way: (way in names, way))
    drawn = {(way, partitions): own for way in ways for partitions, own in _by_partitions(rows, way)}
    scale = _scale(rows, len(drawn))
    curves = []
    for number, ((way, partitions), own) in enumerate(drawn.items(), start=1):
        colour = GREYS.get(way) or COLOURS[ways.index(way) % len(COLOURS)]
        dashes = ' stroke-dasharray="6 3"' if partitions > 1 else ""
        ordered = sorted(own, key=lambda row: int(row["event_bytes"]))
        curves.append(
            {
                "colour": colour,
                "style": f'fill="none" stroke="{colour}" stroke-width="2"{dashes}',
                "points": " ".join(",".join(scale.point(row)) for row in ordered),
                "key": TOP + LINE * number,
                "name": f"{way}{_partitions(way, partitions)}",
                "unsound": [scale.point(row) for row in own if row.get("unsound")],
            }
        )
    text = files("tailrace.experiments").joinpath("chart.svg.j2").read_text("utf-8")
    template = jinja2.Template(text, trim_blocks=True, keep_trailing_newline=True)
    unsound = any(row.get("unsound") for row in rows)
    picture: str = template.render(
        curves=curves, scale=scale, unsound=unsound, width=WIDTH, left=LEFT, right=WIDTH - KEY
    )
    return picture


def _scale(rows: Sequence[Row], curves: int) -> _Scale:
    seconds = [max(LEAST_S, float(row["seconds"])) for row in rows]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    # The key has one line per curve, and the full grid has many curves.
    tall = max(HEIGHT, TOP + LINE * (curves + 1))
    return _Scale(sorted({int(row["event_bytes"]) for row in rows}), low, max(high, low + 1), tall)


def _by_partitions(rows: Sequence[Row], way: str) -> Iterator[tuple[int, list[Row]]]:
    own = [row for row in rows if row["threads"] == way]
    for partitions in sorted({int(row["partitions"]) for row in own}):
        yield partitions, [row for row in own if int(row["partitions"]) == partitions]


def _partitions(way: str, partitions: int) -> str:
    if way not in BASELINES.values() or way in TOPIC_READERS:
        return f", {partitions} partition{'s' if partitions > 1 else ''}"
    return ""


def _baselines(rows: Sequence[Row]) -> list[Row]:
    """A row per event size of each baseline, for clients also per number of partitions."""
    found: dict[tuple[str, int, int], float] = {}
    for row in rows:
        for column, name in BASELINES.items():
            if row.get(column):
                partitions = int(row["partitions"]) if name in TOPIC_READERS else 1
                key = (name, int(row["event_bytes"]), partitions)
                found[key] = float(row["seconds"]) / float(row[column])
    return [
        {"threads": name, "event_bytes": size, "partitions": partitions, "seconds": seconds}
        for (name, size, partitions), seconds in found.items()
    ]
