# SPDX-License-Identifier: Apache-2.0
"""When a run's latencies are the load generator's own doing."""

from collections.abc import Mapping
from typing import Any

# The loader itself is called late when its delay is this share of what it measures, and not tiny.
SHARE = 0.1
FLOOR_US = 200


def late_percentile(percentiles: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The percentile at which the load generator's own lateness is large against the latency.

    ``percentiles``: rows of ``latency_percentiles`` by stage, in µs. None when it was in time.
    """
    delay, publish = percentiles.get("publish_delay"), percentiles.get("publish")
    if not delay or not publish:
        return None
    for percentile in ("p99", "p50"):
        late, latency = (row[f"{percentile}_us"] for row in (delay, publish))
        if late >= FLOOR_US and late >= SHARE * latency:
            return percentile
    return None
