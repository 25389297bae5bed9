# SPDX-License-Identifier: Apache-2.0
"""What is measured, one after another on the same broker."""

import resource
import time
from dataclasses import dataclass
from typing import Any

import psutil
from clickhouse_connect.driver.client import Client

from lab.bench.loadgen.programs import LoadGenerator, Workload, perf_test
from lab.stand.stack import StackStand
from tailrace.api import catalogue


@dataclass(frozen=True)
class MaxRateRound:
    """Messages per second; each of the three used the broker alone. ``cpu_us`` is what a message took of the
    load generator's process, recorded and unrecorded."""

    perf_test: float
    recorded: float
    unrecorded: float
    cpu_us: tuple[float, float]


def at_max_rate(stand: StackStand, number: int, seconds: int, messages: int) -> MaxRateRound:
    """One round. Which of ours goes first alternates, so that neither always has the fresher disk."""
    perf = perf_test(stand, f"bench-perf-{number}", messages)
    rates, cpu_us = {}, {}
    for recorded in (True, False) if number % 2 else (False, True):
        before = children_cpu()
        run = LoadGenerator(stand, f"max-{number}-{int(recorded)}", Workload(seconds), recorded)
        sent = int(run.finish()["sent"])
        rates[recorded] = run.acked_per_second()
        cpu_us[recorded] = (children_cpu() - before) / sent * 1e6
    return MaxRateRound(perf, rates[True], rates[False], (cpu_us[True], cpu_us[False]))


def children_cpu() -> float:
    """Seconds of CPU of all children that have ended and been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def publish_delay(stand: StackStand, client: Client, rate: float, seconds: int) -> dict[str, Any]:
    """Percentiles of the publish delay at a fixed rate, as ``latency_percentiles`` has them."""
    run_id = "quarter"
    LoadGenerator(stand, run_id, Workload(seconds, rate, warmup_s=5)).finish()
    question = catalogue.load("latency_percentiles")
    rows = client.query(question.text, parameters=question.fill({"run_id": run_id})).named_results()
    return next(dict(row) for row in rows if row["stage"] == "publish_delay")


def start_of_many(stand: StackStand) -> float:
    """Seconds from exec to the first message of 160 producers on 80 topics of 10 partitions, a consumer each."""
    many = Workload(seconds=3, rate=800, topics=80, partitions=10, producers=2, groups=1, warmup_s=0)
    run = LoadGenerator(stand, "many", many)
    took = run.await_line("measure")
    run.finish()
    return took


@dataclass(frozen=True)
class Soak:
    """Resident bytes of the load generator: mean of the second and of the last quarter of the time."""

    seconds: int
    early: float
    late: float

    @property
    def growth(self) -> float:
        return self.late / self.early - 1


def soak(stand: StackStand, rate: float, seconds: int) -> Soak:
    """Watches memory under a steady load with everything recorded."""
    run = LoadGenerator(stand, "soak", Workload(seconds, rate, groups=1, warmup_s=5))
    run.await_line("measure")
    process = psutil.Process(run.process.pid)
    sizes = []
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        sizes.append(process.memory_info().rss)
        time.sleep(1)
    run.finish()
    quarter = len(sizes) // 4
    early, late = sizes[quarter : 2 * quarter], sizes[3 * quarter :]
    return Soak(seconds, sum(early) / len(early), sum(late) / len(late))
