# SPDX-License-Identifier: Apache-2.0
"""OpenMessaging Benchmark's result file, from the stored rows of a run.

OMB's publish latency starts at the actual send, so it is our ``publish_service``. Publish delays are in
µs, other latencies in ms. Scalars named ``aggregated…`` are exact over every message of the measure
phase, except means; arrays, means and quantile maps come from the rollup (within 0.4 %).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.errors import BadInput
from tailrace.queries.ask import rows

Row = Mapping[str, Any]

# OMB's name of a latency, our stage, and µs per unit of OMB's.
LATENCIES = (
    ("publishLatency", "publish_service", 1000),
    ("publishDelayLatency", "publish_delay", 1),
    ("endToEndLatency", "end_to_end", 1000),
)
# OMB's suffix and our column.
POINTS = {
    "50pct": "p50_us",
    "75pct": "p75_us",
    "95pct": "p95_us",
    "99pct": "p99_us",
    "999pct": "p99_9_us",
    "9999pct": "p99_99_us",
    "Max": "max_us",
}


def result(client: Client, run_id: str, period_s: int) -> dict[str, Any]:
    """The file's content. Raises BadInput for a run that has no measure phase."""
    periods = rows(client, "omb_throughput_periods", run_id=run_id, period_s=period_s)
    if not periods:
        raise BadInput(f"run {run_id}: it has no whole second of a measure phase to export")
    latencies = rows(client, "omb_latency_periods", run_id=run_id, period_s=period_s)
    exact = {row["stage"]: row for row in rows(client, "latency_percentiles", run_id=run_id)}
    distribution = rows(client, "omb_distribution", run_id=run_id)
    content = _head(client, run_id)
    content["publishRate"] = [row["acked"] / row["seconds"] for row in periods]
    content["publishErrorRate"] = [row["failed"] / row["seconds"] for row in periods]
    content["consumeRate"] = [row["received"] / row["seconds"] for row in periods]
    content["backlog"] = [row["backlog"] for row in periods]
    for name, stage, unit in LATENCIES:
        found = {row["period"]: row for row in latencies if row["stage"] == stage}
        of_periods = [found.get(row["period"], {}) for row in periods]
        content |= _arrays(name, unit, of_periods)
        spread = [row for row in distribution if row["stage"] == stage]
        content |= _aggregated(name, unit, exact.get(stage, {}), spread)
    return content


def _head(client: Client, run_id: str) -> dict[str, Any]:
    (run,) = client.query(
        "SELECT workload_name, driver_name, manifest FROM v_runs WHERE run_id = {r:String}", parameters={"r": run_id}
    ).named_results()
    plan = json.loads(run["manifest"] or "{}").get("plan", {})
    topics = max(1, len(plan.get("topics", ())))
    return {
        "workload": run["workload_name"],
        "driver": run["driver_name"],
        "messageSize": plan.get("message_bytes", 0),
        "topics": topics,
        "partitions": plan.get("partitions", 0) // topics,
        "producersPerTopic": plan.get("producers", 0) // topics,
        "consumersPerTopic": plan.get("consumers", 0) // max(1, plan.get("consumer_groups", 1)),
    }


def _arrays(name: str, unit: int, periods: Sequence[Row]) -> dict[str, Any]:
    """One entry per period; 0 if no message was intended, as for OMB's empty histogram."""
    arrays: dict[str, Any] = {f"{name}Avg": [row.get("avg_us", 0) / unit for row in periods]}
    for suffix, column in POINTS.items():
        arrays[f"{name}{suffix}"] = [_value(row.get(column, 0), unit) for row in periods]
    return arrays


def _aggregated(name: str, unit: int, exact: Row, spread: Sequence[Row]) -> dict[str, Any]:
    prefix = f"aggregated{name[0].upper()}{name[1:]}"
    mean = spread[0]["mean_us"] if spread else 0
    values: dict[str, Any] = {f"{prefix}Avg": mean / unit}
    for suffix, column in POINTS.items():
        values[f"{prefix}{suffix}"] = _value(exact.get(column, 0), unit)
    values[f"{prefix}Quantiles"] = {
        str(100 * row["upto"] / row["total"]): _value(row["value_us"], unit) for row in spread
    }
    return values


def _value(us: int, unit: int) -> float | int:
    return us if unit == 1 else us / unit
