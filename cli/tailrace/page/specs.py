# SPDX-License-Identifier: Apache-2.0
"""Chart specifications for static/chart.js. Values are the query's own; a factor converts the unit."""

from collections.abc import Iterable
from typing import Any

Spec = dict[str, Any]
MS_PER_US = 0.001
Span = tuple[str, str, float, float]
"""Kind, label, start and end in seconds since 1970."""


def series(label: str, colour: str, values: Iterable[float | None], **more: Any) -> Spec:
    """One line. ``factor`` converts the query's unit into the unit shown."""
    kept = [None if v is None else v if isinstance(v, int) else float(f"{v:.6g}") for v in values]
    drawn: Spec = {"label": label, "colour": colour, "values": kept, "width": 1.5, "dash": "solid"}
    return drawn | {"factor": 1} | more


def chart(name: str, title: str, unit: str, query: str, lines: list[Spec], **more: Any) -> Spec:
    """``query``: the named query and parameters that return the values."""
    spec: Spec = {"id": name, "title": title, "unit": unit, "query": query, "series": lines}
    spec |= {"kind": "time", "log": "never", "height": 120, "labelled": False, "named": False}
    return spec | more


def embedded(
    run_id: str, origin: int | None, seconds: range, specs: Iterable[Spec], spans: Iterable[Span] = ()
) -> dict[str, Any]:
    """The data for the page's script: the time axis in ``seconds`` since ``origin``, charts, and spans to shade."""
    zero = origin or 0
    return {
        "run": run_id,
        "origin": origin,
        "first": seconds.start,
        "count": len(seconds),
        "step": seconds.step,
        "phases": [
            {"name": name, "label": label, "start": round(start - zero, 6), "end": round(end - zero, 6)}
            for name, label, start, end in spans
        ],
        # The HTML contains the summaries.
        "charts": [{k: v for k, v in spec.items() if k != "summary"} for spec in specs],
    }
