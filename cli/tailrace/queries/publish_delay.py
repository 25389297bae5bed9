# SPDX-License-Identifier: Apache-2.0
"""Whether the load generator itself caused a run's latency."""

from collections.abc import Mapping
from typing import Any

# The load generator is late if its delay is at least this share of the latency, and this many µs.
SHARE = 0.1
FLOOR_US = 200


def delayed_percentile(percentiles: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The percentile at which publish delay is a large share of publish latency; None if it is small.

    ``percentiles``: rows of ``latency_percentiles`` by stage, in µs.
    """
    delay, publish = percentiles.get("publish_delay"), percentiles.get("publish")
    if not delay or not publish:
        return None
    for percentile in ("p99", "p50"):
        late, latency = (row[f"{percentile}_us"] for row in (delay, publish))
        if late >= FLOOR_US and late >= SHARE * latency:
            return percentile
    return None
