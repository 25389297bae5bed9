# SPDX-License-Identifier: Apache-2.0
"""``tailrace plan``: shows what a run of a workload file would do, without connecting to a broker."""

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

import click

from tailrace.queries.render import Grouped, cell
from tailrace.queries.render import show as show_table
from tailrace.runs import loadgen
from tailrace.runs.disk import brokers_bytes
from tailrace.runs.options import DIALECT, DRIVER, POINT, SEED, default_driver, file
from tailrace.runs.planning import Plan
from tailrace.runs.slo import FLAGS
from tailrace.stack.api import StackPaths


@click.command()
@click.argument("workload", metavar="FILE", type=file)
@DRIVER
@SEED
@POINT
@DIALECT
@click.option("--json", "as_json", is_flag=True, help="The plan as JSON, in full.")
def plan(
    workload: Path, driver: Path | None, seed: int | None, point: int | None, dialect: str | None, as_json: bool
) -> None:
    """Check FILE and show what a run of it would do, without connecting to a broker.

    \b
    Examples:
      tailrace plan workloads/demo.yaml
      tailrace plan sweep.yaml --point 3
      tailrace plan my.yaml --driver my-driver.yaml --json
    """
    paths = StackPaths.load()
    chosen = driver or default_driver(paths)
    found = loadgen.plans(paths, loadgen.Inputs(workload, chosen, seed, None, point, dialect))
    if driver is None:
        for each in found:
            factor = each["replication_factor"]
            each["notes"].append(
                f"no --driver was given: disk assumes replication factor {factor}, as in drivers/{chosen.name}"
            )
    out = sys.stdout
    if as_json:
        out.write(json.dumps(found[0] if len(found) == 1 else {"points": found}, indent=2) + "\n")
    elif len(found) == 1:
        _one(found[0], out)
    else:
        _several(found, out)


def _one(plan: Plan, out: TextIO) -> None:
    sends = f"{plan['producers']:,} producers, {plan['consumers']:,} consumers in "
    lines = {
        "workload": f"{plan['workload']} (dialect {plan['dialect']}, seed {plan['seed']})",
        "driver": f"{plan['driver']}, replication factor {plan['replication_factor']}",
        "topics": f"{_topics(plan):,} with {plan['partitions']:,} partitions",
        "clients": f"{sends}{plan['consumer_groups']:,} groups",
        "messages": f"{plan['message_bytes']:,} bytes; {plan['payload']}",
        "rate": _rate(plan),
        "sent": _least(plan) + _amount(plan["expected_messages"], plan["expected_bytes"]),
        "received": _least(plan) + _count(plan["expected_deliveries"]),
        "disk": f"{_least(plan)}{_bytes(plan['disk_bytes'])} over all brokers, before retention{_kept(plan)}",
    }
    lines |= _clients(plan)
    behaviour = {k: v for k, v in plan["behaviour"].items() if v not in ("none", "constant")}
    lines["behaviour"] = ", ".join(f"{k} {v}" for k, v in behaviour.items())
    if plan["repeat"] > 1:
        lines["repeat"] = str(plan["repeat"])
    for bound in plan["slo"]:
        word = "" if bound["key"] in FLAGS else "at most" if bound["direction"] == "at_most" else "at least"
        lines[f"slo {bound['key']}"] = f"{word} {bound['text']}".lstrip()
    for name, text in lines.items():
        out.write(f"{name:12} {text}\n")
    out.write("\n")
    rows = [
        [
            phase["name"],
            _grouped(phase["seconds"]),
            phase["until"],
            _grouped(phase["messages_per_second"]) or phase["pacing"],
            _grouped(peak(phase)) if "curve" in phase else None,
            _grouped(phase["messages"]),
            _grouped(phase["bytes"]),
        ]
        for phase in plan["phases"]
    ]
    columns = ["phase", "seconds at most", "until", "messages/s", "peak", "messages", "bytes"]
    curved = any("curve" in phase for phase in plan["phases"])
    shown = [i for i, name in enumerate(columns) if curved or name != "peak"]
    show_table([columns[i] for i in shown], [[row[i] for i in shown] for row in rows], out)
    for note in plan["notes"]:
        out.write(f"note: {note}\n")


# Client settings that decide what is compared; of the others the plan's JSON has all.
_SHOWN = ("acks", "linger.ms", "batch.size", "compression.type")


def _clients(plan: Plan) -> dict[str, str]:
    """The brokers' address, and how producers send."""
    address = plan["admin_config"].get("bootstrap.servers", "")
    if not plan["producers"]:
        return {"brokers": address}
    config = plan["producer_config"]
    settings = [f"{name}={config[name]}" if name in config else f"{name} as Kafka's default" for name in _SHOWN]
    return {"brokers": address, "producers": ", ".join(settings)}


def peak(phase: Mapping[str, Any]) -> float:
    """The highest rate that a curve reaches within its phase."""
    end = float(phase["seconds"])
    points = [(float(point["at_seconds"]), float(point["messages_per_second"])) for point in phase["curve"]]
    reached = [rate for at, rate in points if at <= end]
    for (at, rate), (later, next_rate) in pairwise(points):
        if at < end < later:
            reached.append(rate + (next_rate - rate) * (end - at) / (later - at))
    return max(reached or [points[0][1]])


def _least(plan: Plan) -> str:
    """Phases that end when a goal is reached send too, for a time that no plan knows."""
    unknown = any(phase["messages"] is None and phase["messages_per_second"] for phase in plan["phases"])
    return "at least " if unknown and plan["expected_messages"] is not None else ""


def _grouped(value: float | None) -> Grouped | None:
    return None if value is None else Grouped(value)


def _kept(plan: Plan) -> str:
    """The disk after retention, if the topics set one."""
    if not any(name.startswith("retention.") for name in plan["topic_config"]):
        return ""
    return f", {_bytes(brokers_bytes(plan, StackPaths.load()))} after it"


def _several(plans: Sequence[Plan], out: TextIO) -> None:
    runs = sum(int(plan["repeat"]) for plan in plans)
    out.write(f"{plans[0]['workload']}: {len(plans)} points, {runs} runs\n\n")
    rows = [
        [number, *plan["varied"].values(), _rate(plan), _bytes(plan["expected_bytes"]), _bytes(plan["disk_bytes"])]
        for number, plan in enumerate(plans)
    ]
    show_table(["point", *plans[0]["varied"], "rate", "sent", "disk"], rows, out)
    for note in dict.fromkeys(note for plan in plans for note in plan["notes"]):
        out.write(f"note: {note}\n")


def _topics(plan: Plan) -> int:
    return sum(int(topic.get("count", 1)) for topic in plan["topics"])


def _rate(plan: Plan) -> str:
    if plan["messages_per_second"] is None:
        return str(plan["pacing"])
    size = _bytes(plan["bytes_per_second"])
    highest = max((peak(phase) for phase in plan["phases"] if "curve" in phase), default=None)
    top = "" if highest is None else f", at most {cell(Grouped(highest))} messages/s"
    return f"{cell(Grouped(plan['messages_per_second']))} messages/s, {size}/s{top}"


def _amount(messages: int | None, size: int | None) -> str:
    return "unknown before the run" if messages is None else f"{messages:,}, {_bytes(size)}"


def _count(messages: int | None) -> str:
    return "unknown before the run" if messages is None else f"{messages:,}"


def _bytes(size: float | None) -> str:
    if size is None:
        return "unknown"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.4g} {unit}"
        size /= 1000
    return f"{size:,.4g} PB"
