# SPDX-License-Identifier: Apache-2.0
"""The main metrics before and during an injection (signature.yaml), to understand a wrong verdict."""

from datetime import datetime
from math import isfinite, nan
from pathlib import Path
from string import Template

import yaml

from lab.faults.truth import Injected
from lab.stand.victoriametrics import query

_BEFORE_S = 10
METRICS: dict[str, str] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def of(url: str, run_id: str, device: str, injected: Injected) -> dict[str, list[float | None]]:
    """By metric: before, during."""
    assert injected.start is not None, "it was injected"
    assert injected.end is not None, "it was injected"
    start, end = (datetime.fromisoformat(time).timestamp() for time in (injected.start, injected.end))
    windows = ((start - 1, _BEFORE_S), (end + 1, max(3, round(end - start))))
    return {name: [value(url, name, run_id, device, w, at) for at, w in windows] for name in METRICS}


def value(url: str, metric: str, run_id: str, device: str, window_s: int, at: float | None = None) -> float | None:
    """The metric over the seconds before ``at``, by default now; None where VictoriaMetrics has nothing."""
    promql = Template(METRICS[metric]).substitute(run=run_id, device=device, w=window_s)
    found = next((number for _, number in query(url, promql, at)), nan)
    return float(f"{found:.4g}") if isfinite(found) else None
