# SPDX-License-Identifier: Apache-2.0
"""Percentile curves of several runs, both axes logarithmic: each nine takes the same room."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.page.specs import MS_PER_US, Spec, chart, series
from tailrace.page.words import brief
from tailrace.stages import CHARTED, title

HUES = ("e2e-2", "publish-2", "lag-3", "lag-2", "drive-1", "lag-4", "lag-5", "target")
DASHES = ("solid", "dashed", "dotted")

Curve = Mapping[str, Mapping[float, int]]
"""stage → percentile → µs"""


@dataclass(frozen=True)
class Line:
    """One run's curve; ``thick`` makes it stand out."""

    label: str
    curve: Curve
    thick: bool = False


def by_stage(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[float, int]]:
    """Rows of ``latency_curve`` as a curve."""
    stages: dict[str, dict[float, int]] = {}
    for row in rows:
        stages.setdefault(row["stage"], {})[row["percentile"]] = row["value_us"]
    return stages


def at(curve: Curve, stage: str, percentile: float) -> int | None:
    """The latency at the nearest point at or below the percentile, µs."""
    known = [p for p in curve.get(stage, {}) if p <= percentile + 0.01]
    return curve[stage][max(known)] if known else None


def hue(number: int) -> dict[str, str]:
    """Colour and dash of the n-th run, the same in every chart of a page."""
    dash = DASHES[number // len(HUES) % len(DASHES)]
    return {"colour": HUES[number % len(HUES)], "dash": dash}


def charts(name: str, lines: Sequence[Line]) -> list[Spec]:
    """A chart for each stage that any of the runs has."""
    drawn = []
    for stage in CHARTED:
        points = sorted({p for line in lines for p in line.curve.get(stage, {})})
        if not points:
            continue
        shown = []
        for n, line in enumerate(lines):
            values = [line.curve.get(stage, {}).get(p) for p in points]
            width = 2.8 if line.thick else 1.5
            shown.append(series(line.label, values=values, factor=MS_PER_US, width=width, **hue(n)))
        spec = chart(f"{name}-{stage}", title(stage), "ms", "latency_curve", shown, log="always")
        x = [float(f"{100 / (100 - p):.6g}") for p in points]
        spec |= {"kind": "percentile", "height": 300, "labelled": True, "x": x}
        summary = "; ".join(
            f"{line.label} p99 {brief(value / 1000)} ms"
            for line in lines
            if (value := at(line.curve, stage, 99.0)) is not None
        )
        drawn.append(spec | {"summary": f"{title(stage)} by percentile, logarithmic: {summary}."})
    return drawn
