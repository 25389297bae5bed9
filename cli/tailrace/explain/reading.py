# SPDX-License-Identifier: Apache-2.0
"""Asks the named queries about a run."""

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from clickhouse_connect.driver.client import Client

from tailrace.explain.episodes import STAGES, Episode, Second
from tailrace.explain.signals import NO_BROKER, Broker, Row, Signal
from tailrace.queries.catalogue import load

# A leader change or rebalance this long before latency rose may be why.
EVENTS_BEFORE_S = 5
EVENTS = {"leader_change": "leader_changes", "rebalance": "rebalances"}


@dataclass(frozen=True)
class Asker:
    """Answers the queries for one run, and says how anyone can ask the same."""

    client: Client
    run_id: str

    def ask(self, name: str, /, **params: Any) -> list[Row]:
        question = load(name)
        values = question.fill({"run_id": self.run_id, **_texts(params)})
        return [dict(row) for row in self.client.query(question.text, parameters=values).named_results()]

    def command(self, name: str, **params: Any) -> str:
        """The command line that shows what ``ask`` read."""
        given = "".join(f" --param {key}={value}" for key, value in _texts(params).items())
        return f"tailrace query {name} --run {self.run_id}{given}"


@contextmanager
def at_once(count: int = 2) -> Iterator[Executor]:
    """So many questions at the same time; each keeps one core of the warehouse busy. After an error
    or Ctrl-C those that wait are not asked any more; the ones that are being answered end first."""
    threads = ThreadPoolExecutor(count)
    try:
        yield threads
    except BaseException:
        threads.shutdown(wait=False, cancel_futures=True)
        raise
    threads.shutdown()


def _texts(params: dict[str, Any]) -> dict[str, str]:
    """``since`` stands for ``from``, which Python keeps for itself."""
    return {("from" if key == "since" else key): str(value) for key, value in params.items()}


def moment(second: float) -> str:
    """Seconds since 1970 as a query's parameter."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def latencies(asker: Asker) -> dict[str, dict[int, Second]]:
    """Stage → second since 1970 → latency, of the stages that are judged."""
    name = "latency_percentiles_per_second"
    with at_once() as threads:
        answers = list(threads.map(lambda stage: asker.ask(name, stage=stage), STAGES))
    stages: dict[str, dict[int, Second]] = {}
    for row in (row for rows in answers for row in rows):
        at = int(row["time"].timestamp())
        names = ("p50_us", "p99_us", "events", "p90_us", "p95_us")
        stages.setdefault(row["stage"], {})[at] = Second(*(row[name] for name in names))
    return stages


def brokers(asker: Asker) -> list[Broker]:
    """The manifest's brokers; one that stands for all when it names none."""
    rows = asker.ask("broker_drives")
    known = [Broker(row["broker"], row["host"], row["device"]) for row in rows]
    return known or [Broker(-1, "localhost", "")]


def events(asker: Asker, episode: Episode) -> Iterable[Signal]:
    """Counts of what happened to leaders and groups around an episode, as signals."""
    since = episode.start - EVENTS_BEFORE_S
    rows = asker.ask("run_events", since=moment(since), to=moment(episode.end))
    found = {
        "leader_change": _moves(rows),
        "rebalance": [r for r in rows if r["kind"] == "rebalance"],
    }
    for kind, name in EVENTS.items():
        if found[kind]:
            count = float(len(found[kind]))
            onset = int(found[kind][0]["time"].timestamp() - episode.start)
            values = (0.0, count, count, count, 0.0, count)
            yield Signal(name, "events", "", "", NO_BROKER, *values, onset, None, 0.5)


def _moves(rows: Iterable[Row]) -> list[Row]:
    """Changes from one broker to another. A partition without a leader (-1) is what a broker that
    stands still leaves behind, and its return to the same broker is no change."""
    led: dict[str, int] = {}
    moves = []
    for row in rows:
        if row["kind"] != "leader_change":
            continue
        change = json.loads(row["detail"])
        before = change["from"] if change["from"] >= 0 else led.get(row["name"], -1)
        led[row["name"]] = before
        if min(before, change["to"]) >= 0 and before != change["to"]:
            moves.append(row)
    return moves
