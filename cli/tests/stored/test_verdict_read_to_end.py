# SPDX-License-Identifier: Apache-2.0
"""Feldera's conclusions, judged from a grid of runs whose times are known."""

from collections.abc import Callable, Sequence
from typing import Any

from clickhouse_connect.driver.client import Client
from trial import START_S, Trial, verdicts

Seconds = Callable[[int, int, str], float]
SIZES = {"256": 256, "512": 512, "1k": 1024, "4k": 4096}
BASELINES = {"wc": 0.5, "cat_wc": 1.0, "kcat": {"grid-1k-1p": 2.0, "grid-256-1p": 4.0}}


def published(size: int, partitions: int, threads: str) -> float:
    """As Feldera found it: small events slow, threads and one partition good for them alone."""
    small = size < 1024
    base = {256: 16.0, 512: 8.0}.get(size, 2.0)
    if threads != "one":
        base *= 0.6 if small else 1.3
    if partitions == 16:
        base *= 1.2 if small else (0.8 if size == 1024 else 1.1)
    return base


def grid(client: Client, name: str, seconds: Seconds, **more: Any) -> list[Trial]:
    trials = []
    for text, size in SIZES.items():
        for partitions in (1, 16):
            for threads in ("one", "perPartition"):
                run_id = f"{name}-{text}-{partitions}-{threads}"
                took = seconds(size, partitions, threads)
                receive = int((START_S + took) * 1_000_000)
                topic = f"grid-{text}-{partitions}p"
                sent = START_S * 1_000_000
                row = [run_id, 0, 0, 0, 0, topic, 0, 0, sent, receive, size]
                client.insert("deliveries", [row])
                behaviour = {"consumer_threads": threads}
                plan = {"behaviour": behaviour, "messages_per_second": None}
                trials.append(Trial(run_id, plan=plan, **more))
    return trials


def answers(client: Client, trials: Sequence[Trial]) -> dict[str, tuple[str, int]]:
    rows = verdicts(client, "verdict_read_to_end", trials)
    return {row["claim"]: (row["verdict"], row["cases"]) for row in rows}


def test_times_as_published_hold(client: Client) -> None:
    more = {"experiment": {"baselines": BASELINES}, "system": "redpanda"}
    found = answers(client, grid(client, "as-published", published, **more))
    assert list(found.values()) == [
        ("holds", 4),
        ("holds", 4),
        ("holds", 4),
        ("holds", 4),
        ("holds", 4),
        ("holds", 1),
        ("does not hold", 1),
    ]


def test_times_that_nothing_changes_contradict_them(client: Client) -> None:
    found = answers(client, grid(client, "flat", lambda *_place: 2.0))
    kinds = [verdict for verdict, _cases in found.values()]
    assert kinds[:3] == ["does not hold"] * 3
    # Nothing got faster by more partitions, so that stands; and kcat was not measured.
    assert kinds[3:] == ["holds", "does not hold", "cannot tell", "cannot tell"]


def test_noisy_runs_are_left_out(client: Client) -> None:
    trials = grid(client, "noisy-grid", published, steal=0.5)
    rows = verdicts(client, "verdict_read_to_end", trials)
    assert {row["verdict"] for row in rows} == {"cannot tell"}
    assert "the machine was noisy" in rows[0]["reason"]


def test_the_grid_has_a_row_per_place_beside_the_baselines(client: Client) -> None:
    trials = grid(client, "rows", published, experiment={"baselines": BASELINES})
    rows = verdicts(client, "read_to_end_grid", trials)
    assert len(rows) == len(trials)
    assert [(r["event_bytes"], r["partitions"], r["threads"]) for r in rows[:2]] == [
        (256, 1, "one"),
        (256, 1, "perPartition"),
    ]
    assert (rows[0]["seconds"], rows[0]["wc_ratio"], rows[0]["kcat_ratio"]) == (16, 32, 4)
    assert rows[0]["rdkafka_ratio"] is None
