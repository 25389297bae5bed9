# SPDX-License-Identifier: Apache-2.0
"""Whether latency rose during an injection, by a measure that explain does not use."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

# How far the median and the worst second may exceed the median of the seconds without an injection.
MEDIAN_FACTOR, WORST_FACTOR = 1.5, 3.0

# p99 in µs by stage, by second since 1970.
Latency = Mapping[int, Mapping[str, float]]


def latency(rows: Iterable[Mapping[str, Any]]) -> Latency:
    """Read rows of ``latency_percentiles_per_second``; only the measure phase counts."""
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        if row["phase"] == "measure" and row["stage"] in ("publish", "end_to_end"):
            second = int(datetime.fromisoformat(row["time"]).replace(tzinfo=UTC).timestamp())
            found.setdefault(second, {})[row["stage"]] = float(row["p99_us"])
    return found


def raised(seconds: Latency, window: tuple[float, float], others: Sequence[tuple[float, float]]) -> bool:
    """Whether latency was up in ``window``; ``others``: all windows of the run, with this one. A second without any
    answer is harm."""
    first, last = int(window[0]), int(window[1])
    if any(second not in seconds for second in range(first, last + 1) if second <= max(seconds, default=0)):
        return True
    for stage in ("publish", "end_to_end"):
        quiet = [
            p99[stage]
            for second, p99 in seconds.items()
            if stage in p99 and not any(start - 1 <= second <= end + 1 for start, end in others)
        ]
        during = [seconds[s][stage] for s in range(first, last + 1) if stage in seconds.get(s, {})]
        if not quiet or not during:
            return True
        usual = statistics.median(quiet)
        if statistics.median(during) > MEDIAN_FACTOR * usual or max(during) > WORST_FACTOR * usual:
            return True
    return False
