# SPDX-License-Identifier: Apache-2.0
"""The heatmap: how many messages took how long, over time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.page.specs import MS_PER_US, Spec, chart, series
from tailrace.page.words import brief
from tailrace.report.data import Ask, Row, RunData

# Cells side by side, and from a latency to twice of it.
COLUMNS = 300
PER_DOUBLING = 4
STAGES = (
    ("end_to_end", "End-to-end latency", "e2e-3"),
    ("publish", "Publish latency", "publish-3"),
)


@dataclass(frozen=True)
class Heat:
    """Rows of ``latency_heatmap`` of one stage, ``step_s`` seconds each."""

    stage: str
    title: str
    colour: str
    step_s: int
    rows: Sequence[Row]


def read(data: RunData, ask: Ask) -> list[Heat]:
    """One for each stage that has messages."""
    seconds = data.seconds
    if not seconds:
        return []
    # A multiple of the axis' step, so that a cell ends where a point does.
    step = max(1, math.ceil(len(seconds) / COLUMNS)) * data.step
    found = [
        Heat(stage, title, colour, step, rows)
        for stage, title, colour in STAGES
        if (rows := ask("latency_heatmap", stage=stage, step_s=step, per_doubling=PER_DOUBLING))
    ]
    return [each for each in found if any(row["low_us"] > 0 for row in each.rows)]


def spec(data: RunData, heat: Heat) -> Spec:
    """The chart: its cells as (column, place, messages), and as a line where most messages are."""
    kept = [row for row in heat.rows if row["low_us"] > 0]
    places = [round(math.log2(row["low_us"]) * PER_DOUBLING) for row in kept]
    starts = [int(row["time"].timestamp()) - data.origin for row in kept]
    first, lowest = min(starts), min(places)
    columns = [(start - first) // heat.step_s for start in starts]
    most: dict[int, tuple[int, float | None]] = {}
    for column, place, row in zip(columns, places, kept, strict=True):
        middle = float(2 ** ((place + 0.5) / PER_DOUBLING))
        most[column] = max(most.get(column, (0, 0.0)), (row["events"], middle))
    nothing: tuple[int, float | None] = (0, None)
    line = [most.get((at - first) // heat.step_s, nothing)[1] for at in data.seconds]
    low = 2 ** (lowest / PER_DOUBLING) * MS_PER_US
    high = 2 ** ((max(places) + 1) / PER_DOUBLING) * MS_PER_US
    query = f"latency_heatmap --param stage={heat.stage} --param step_s={heat.step_s}"
    query += f" --param per_doubling={PER_DOUBLING}"
    lines = [series("most messages", heat.colour, line, factor=MS_PER_US, width=0)]
    drawn = chart(f"heat-{heat.stage}", f"{heat.title}, messages", "ms", query, lines, height=170)
    drawn |= {"log": "always", "range": [low, high]}
    drawn |= {
        "heat": {
            "first": first,
            "step": heat.step_s,
            "low": low,
            "ratio": 2 ** (1 / PER_DOUBLING),
            "most": max(row["events"] for row in kept),
            "colour": heat.colour,
            "cells": [
                [column, place - lowest, row["events"]]
                for column, place, row in zip(columns, places, kept, strict=True)
            ],
        }
    }
    told = f"{heat.title} of all messages as a heatmap over time, {brief(low)} to {brief(high)} ms."
    return drawn | {"summary": told}
