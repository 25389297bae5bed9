# SPDX-License-Identifier: Apache-2.0
"""Where messages spent their time, as one JSON object."""

from typing import Any

from tailrace.breakdown.reading import Breakdown
from tailrace.queries.ask import moment


def document(found: Breakdown) -> dict[str, Any]:
    """Keys: run, side, band, from, to, messages, latency, measured, stages; by and places if asked. Times in µs."""
    choice, measured = found.choice, found.measured
    result: dict[str, Any] = {
        "run": found.run_id,
        "side": choice.side,
        "band": choice.band,
        "from": f"{moment(choice.start)}Z",
        "to": f"{moment(choice.end)}Z",
        "messages": found.whole["messages"],
        "latency": {name: found.whole[name] for name in ("mean_us", "p50_us", "p99_us")},
        "measured": {
            "messages": measured["messages"],
            "measured": measured["measured"],
            "share": measured["measured_share"],
            "reasons": dict(measured["reasons"]),
        },
        "stages": [dict(row) for row in found.stages],
    }
    if found.by:
        result["by"] = found.by
        result["places"] = [
            {found.by: p.name, "messages": p.messages, "mean_us": p.latency_us, "stages": dict(p.stages)}
            for p in found.places
        ]
    return result
