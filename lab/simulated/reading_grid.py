# SPDX-License-Identifier: Apache-2.0
"""A grid of runs that read topics to the end: event sizes, partitions and threads, as Feldera's study has it."""

from collections.abc import Callable
from typing import Any

from clickhouse_connect.driver.client import Client

from lab.simulated.model import START_S
from lab.simulated.trial import Trial

Seconds = Callable[[int, int, str], float]
SIZES = {"256": 256, "512": 512, "1k": 1024, "4k": 4096}
WAYS = ("one", "perPartition", "pool 2", "pool 4")
BASELINES = {"wc": 0.5, "cat_wc": 1.0, "kcat": {"grid-1k-1p": 2.0, "grid-256-1p": 4.0}}


def published(size: int, partitions: int, threads: str) -> float:
    """As Feldera found it: small events slow, threads and one partition good for them alone."""
    small = size < 1024
    base = {256: 27.0, 512: 8.0}.get(size, 2.0)
    if threads != "one":
        base *= {256: 0.24, 512: 0.6}.get(size, 1.1)
        if threads.startswith("pool"):
            base *= 1.1 if threads == "pool 2" else 1.3
    if partitions == 16:
        # A cost to a single thread and to small events, and little else.
        base *= 1.06 if threads == "one" else (1.2 if small else {1024: 0.94}.get(size, 1.0))
        base *= 0.8 if threads == "pool 2" and small else 1
    return base


def grid(client: Client, name: str, seconds: Seconds, **more: Any) -> list[Trial]:
    trials = []
    for text, size in SIZES.items():
        for partitions in (1, 16):
            for threads in WAYS:
                run_id = f"{name}-{text}-{partitions}-{threads}"
                took = seconds(size, partitions, threads)
                receive = int((START_S + took) * 1_000_000)
                topic = f"grid-{text}-{partitions}p"
                sent = START_S * 1_000_000
                row = [run_id, 0, 0, 0, 0, topic, 0, 0, sent, receive, size, -1, 0]
                client.insert("deliveries", [row])
                kind, _, pool = threads.partition(" ")
                behaviour = {"consumer_threads": kind} | ({"consumer_pool": int(pool)} if pool else {})
                plan = {"behaviour": behaviour, "messages_per_second": None}
                trials.append(Trial(run_id, plan=plan, **more))
    return trials
