# SPDX-License-Identifier: Apache-2.0
"""Reads what an explanation rests on: latency by second, brokers, leader changes, rebalances."""

import json
from collections.abc import Iterable

from tailrace.explain.episodes import Episode, Second
from tailrace.explain.signals import EVENT_SIGNALS, NO_BROKER, Broker, Signal
from tailrace.queries.ask import Row, RunReader, concurrently, moment
from tailrace.stages import EXPLAINED

# A leader change or rebalance this long before latency rose may be its cause.
EVENTS_BEFORE_S = 5


def latencies(reader: RunReader) -> dict[str, dict[int, Second]]:
    """Stage → second since 1970 → latency, for the explained stages."""
    name = "latency_percentiles_per_second"
    with concurrently() as threads:
        answers = list(threads.map(lambda stage: reader.ask(name, stage=stage), EXPLAINED))
    stages: dict[str, dict[int, Second]] = {}
    for row in (row for rows in answers for row in rows):
        at = int(row["time"].timestamp())
        stages.setdefault(row["stage"], {})[at] = Second(
            p50=row["p50_us"], p99=row["p99_us"], messages=row["events"], p90=row["p90_us"], p95=row["p95_us"]
        )
    return stages


def brokers(reader: RunReader) -> list[Broker]:
    """The manifest's brokers; if it names none, one broker in place of all."""
    rows = reader.ask("broker_drives")
    known = [Broker(row["broker"], row["host"], row["device"]) for row in rows]
    return known or [Broker(-1, "localhost", "")]


def event_signals(reader: RunReader, episode: Episode) -> Iterable[Signal]:
    """Counts of leader changes and rebalances around an episode, as signals."""
    since = episode.start - EVENTS_BEFORE_S
    rows = reader.ask("run_events", since=moment(since), to=moment(episode.end))
    found = {"leader_change": _leader_changes(rows), "rebalance": [r for r in rows if r["kind"] == "rebalance"]}
    for kind, name in EVENT_SIGNALS.items():
        if found[kind]:
            count = float(len(found[kind]))
            yield Signal(
                name=name,
                unit="events",
                host="",
                device="",
                broker=NO_BROKER,
                before=0.0,
                during=count,
                low=count,
                peak=count,
                quiet_peak=0.0,
                z=count,
                onset_s=int(found[kind][0]["time"].timestamp() - episode.start),
                rho=None,
                score=0.5,
            )


def _leader_changes(rows: Iterable[Row]) -> list[Row]:
    """Events in which another broker became leader. A stalled broker leaves its partitions without a
    leader (-1); that it becomes leader again is not a change."""
    leaders: dict[str, int] = {}
    changes = []
    for row in rows:
        if row["kind"] != "leader_change":
            continue
        change = json.loads(row["detail"])
        before = change["from"] if change["from"] >= 0 else leaders.get(row["name"], -1)
        leaders[row["name"]] = before
        if min(before, change["to"]) >= 0 and before != change["to"]:
            changes.append(row)
    return changes
