# SPDX-License-Identifier: Apache-2.0
"""Samples as VictoriaMetrics exports them and as ``host_metrics`` keeps them."""

import json
import math
from bisect import bisect_right
from dataclasses import dataclass, replace

COLUMNS = ("run_id", "metric", "job", "host", "device", "labels", "time", "value")


@dataclass(frozen=True)
class Series:
    """Part of one time series: times are ms since 1970."""

    metric: str
    job: str
    host: str
    device: str
    labels: dict[str, str]
    times: list[int]
    values: list[float]
    stale: int

    @classmethod
    def parse(cls, line: bytes) -> "Series":
        """Read one line of ``/api/v1/export``. Staleness markers are counted, not kept."""
        document = json.loads(line)
        labels: dict[str, str] = dict(document["metric"])
        named = {key: labels.pop(key, "") for key in ("__name__", "job", "host", "device")}
        pairs = [(time, _number(value)) for time, value in zip(document["timestamps"], document["values"], strict=True)]
        kept = [(time, value) for time, value in pairs if not math.isnan(value)]
        return cls(
            metric=named["__name__"],
            job=named["job"],
            host=named["host"],
            device=named["device"],
            labels=dict(sorted(labels.items())),
            times=[time for time, _ in kept],
            values=[value for _, value in kept],
            stale=len(pairs) - len(kept),
        )

    def after(self, time_ms: int) -> "Series":
        """Its samples that are later than ``time_ms``."""
        first = bisect_right(self.times, time_ms)
        return replace(self, times=self.times[first:], values=self.values[first:])


def _number(value: float | str | None) -> float:
    """JSON has no NaN and no infinity: the export writes null and the words."""
    return math.nan if value is None else float(value)
