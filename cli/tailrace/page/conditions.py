# SPDX-License-Identifier: Apache-2.0
"""Whether a run's numbers are the broker's: cores used up or stolen, a load that still moved, an unfit host."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace.page.trend import FEWEST, Trend, trend
from tailrace.page.words import brief, count, latency
from tailrace.queries.ask import Ask, Row

# A condition is reported from this share of the measured seconds on: fewer do not decide a p95.
SHARE_OF_SECONDS = 0.05
# The least growth of the publish delay that counts as a backlog of sends, µs.
BEHIND_US = 100_000
# Measures of a steady load: name in words, and the change of the median that is small enough.
STEADY = {
    "publish_p50_us": ("publish latency p50", 0.10),
    "publish_p99_us": ("publish latency p99", 0.25),
    "cpu_us_per_message": ("CPU time per message of the load generator", 0.10),
}


@dataclass(frozen=True)
class Conditions:
    """``hosts``: rows of ``host_conditions``; ``series``: values of ``measure_intervals`` in order, by measure;
    ``warmup``: event of a warm-up that was to become steady; ``unfit``: findings of the host's fitness; ``unread``:
    the warehouse answered with an error."""

    hosts: Sequence[Row]
    series: Mapping[str, Sequence[float]]
    warmup: Row | None
    unfit: Sequence[str]
    unread: bool = False


def read(ask: Ask, manifest: Mapping[str, Any]) -> Conditions:
    """Read the conditions of one run; two queries, and one of its events."""
    try:
        return _read(ask, manifest)
    except ClickHouseError:
        return Conditions((), {}, None, unfit(manifest), unread=True)


def _read(ask: Ask, manifest: Mapping[str, Any]) -> Conditions:
    series: dict[str, list[float]] = {}
    for row in ask("measure_intervals"):
        if not (row["measure"] in STEADY and _follows_a_curve(manifest)):
            series.setdefault(row["measure"], []).append(row["value"])
    ends = [row for row in ask("run_events", kind="phase_end") if row["name"] in ("steady", "not_steady")]
    return Conditions(ask("host_conditions"), series, ends[0] if ends else None, unfit(manifest))


def _follows_a_curve(manifest: Mapping[str, Any]) -> bool:
    """Whether the plan changes the rate within the measure phase, so that latency moves by design."""
    plan = manifest.get("plan")
    phases = plan.get("phases", []) if isinstance(plan, Mapping) else []
    return any(
        len({point["messages_per_second"] for point in phase.get("curve", [])}) > 1
        for phase in phases
        if phase.get("name") == "measure"
    )


def unfit(manifest: Mapping[str, Any]) -> list[str]:
    """What the run's fitness check found wrong, a clause each."""
    fitness = manifest.get("fitness")
    checks = fitness.get("checks", []) if isinstance(fitness, Mapping) else []
    return [f"{each['name']} is {each['value']} ({each['remedy']})" for each in checks if each.get("fit") is False]


def sentences(conditions: Conditions) -> Iterator[tuple[str, str]]:
    """(head, sentence) of each condition that makes the numbers doubtful, the worst first."""
    if conditions.unread:
        yield "Not checked:", "whether the run was saturated, noisy or steady: the warehouse answered with an error."
    for host in conditions.hosts:
        yield from _saturated(host)
    yield from _behind(conditions.series)
    for host in conditions.hosts:
        if _many(host, "stolen_s"):
            yield (
                "Noisy:",
                f"the hypervisor took 5 % or more of {host['host']}'s CPU time in {_of(host, 'stolen_s')} "
                f"({100 * host['stolen_share']:.0f} % on average); use dedicated cores.",
            )
    if conditions.warmup and conditions.warmup["name"] == "not_steady":
        yield "Not steady:", f"the warm-up ended at its limit: {conditions.warmup['detail']}."
    yield from _moving(conditions.series)
    if conditions.unfit:
        yield "Unfit:", f"{', '.join(conditions.unfit)}."


def _saturated(host: Row) -> Iterator[tuple[str, str]]:
    cores = f"all {count(host['cores'])} cores" if host["cores"] > 1 else "the only core"
    if _many(host, "used_up_s"):
        were = "were" if host["cores"] > 1 else "was"
        yield (
            "Saturated:",
            f"{cores} of {host['host']} {were} used up in {_of(host, 'used_up_s')}; "
            "latencies measure the CPU, not the broker. Lower the rate, or use a larger machine.",
        )
    if _many(host, "loader_s"):
        yield (
            "Saturated:",
            f"the load generator took 90 % or more of its cores on {host['host']} in {_of(host, 'loader_s')}; "
            "latencies include its own queues. Use more load hosts.",
        )


def _behind(series: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, str]]:
    found = _trend(series, "publish_delay_p50_us")
    if found and found.moves(0) and found.second - found.first >= BEHIND_US:
        yield (
            "Saturated:",
            f"the load fell further and further behind its schedule: publish delay p50 rose from "
            f"{latency(found.first)} to {latency(found.second)} within the measure phase.",
        )


def _moving(series: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, str]]:
    for measure, (name, share) in STEADY.items():
        found = _trend(series, measure)
        if found and found.moves(share):
            verb = "rose" if found.change > 0 else "fell"
            yield (
                "Not steady:",
                f"{name} {verb} by {brief(100 * abs(found.change))} % within the measure phase, from "
                f"{latency(found.first)} to {latency(found.second)}; warm up longer, or set warmupUntilSteady.",
            )


def _trend(series: Mapping[str, Sequence[float]], measure: str) -> Trend | None:
    values = series.get(measure, [])
    return trend(values) if len(values) >= FEWEST else None


def _many(host: Row, name: str) -> bool:
    return bool(host[name]) and host[name] >= SHARE_OF_SECONDS * host["seconds"]


def _of(host: Row, name: str) -> str:
    return f"{count(host[name])} of {count(host['seconds'])} s"
