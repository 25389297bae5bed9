# SPDX-License-Identifier: Apache-2.0
"""The heatmap: the distribution of latency over time."""

import math
from collections.abc import Sequence

from tailrace.page.specs import MS_PER_US, Spec, chart, series
from tailrace.page.words import brief
from tailrace.queries.ask import Ask, Row
from tailrace.report.data import RunData
from tailrace.stages import CHARTED, title

# Columns of cells, and cells per doubling of latency.
COLUMNS = 300
PER_DOUBLING = 4
COLOURS = {"end_to_end": "e2e-3", "publish": "publish-3"}


def specs(data: RunData, ask: Ask) -> list[Spec]:
    """A heatmap for each stage with messages."""
    seconds = data.seconds
    if not seconds:
        return []
    # A multiple of the axis' step, so that cells end with points.
    step = max(1, math.ceil(len(seconds) / COLUMNS)) * data.step
    drawn = []
    for stage in CHARTED:
        rows = ask("latency_heatmap", stage=stage, step_s=step, per_doubling=PER_DOUBLING)
        if kept := [row for row in rows if row["low_us"] > 0]:
            drawn.append(_spec(data, stage, step, kept))
    return drawn


def _spec(data: RunData, stage: str, step: int, kept: Sequence[Row]) -> Spec:
    """Cells as (column, place, messages), and a line through the fullest cells."""
    colour = COLOURS[stage]
    places = [round(math.log2(row["low_us"]) * PER_DOUBLING) for row in kept]
    starts = [int(row["time"].timestamp()) - data.origin for row in kept]
    first, lowest = min(starts), min(places)
    columns = [(start - first) // step for start in starts]
    most: dict[int, tuple[int, float | None]] = {}
    for column, place, row in zip(columns, places, kept, strict=True):
        middle = float(2 ** ((place + 0.5) / PER_DOUBLING))
        most[column] = max(most.get(column, (0, 0.0)), (row["events"], middle))
    nothing: tuple[int, float | None] = (0, None)
    line = [most.get((at - first) // step, nothing)[1] for at in data.seconds]
    low = 2 ** (lowest / PER_DOUBLING) * MS_PER_US
    high = 2 ** ((max(places) + 1) / PER_DOUBLING) * MS_PER_US
    query = f"latency_heatmap --param stage={stage} --param step_s={step}"
    query += f" --param per_doubling={PER_DOUBLING}"
    lines = [series("most messages", colour, line, factor=MS_PER_US, width=0)]
    drawn = chart(f"heat-{stage}", f"{title(stage)}, messages", "ms", query, lines, height=170)
    drawn |= {"log": "always", "range": [low, high]}
    drawn |= {
        "heat": {
            "first": first,
            "step": step,
            "low": low,
            "ratio": 2 ** (1 / PER_DOUBLING),
            "most": max(row["events"] for row in kept),
            "colour": colour,
            "cells": [
                [column, place - lowest, row["events"]]
                for column, place, row in zip(columns, places, kept, strict=True)
            ],
        }
    }
    summary = f"{title(stage)} of all messages as a heatmap over time, {brief(low)} to {brief(high)} ms."
    return drawn | {"summary": summary}
