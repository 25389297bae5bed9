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


PROGRAMS = ("perf", "recorded", "unrecorded")
# perf-test counts messages, ours counts seconds: what it sends makes its window as long as ours.
WARM_UP_S = 3


def at_max_rate(stand: StackStand, number: int, seconds: int, perf_rate: float) -> MaxRateRound:
    """One round. The order rotates, so that each program is first, second and last equally often.

    ``perf_rate`` is about the rate that perf-test reaches, messages/s.
    """
    rates: dict[str, float] = {}
    cpu_us: dict[str, float] = {}
    for place in range(len(PROGRAMS)):
        program = PROGRAMS[(number + place) % len(PROGRAMS)]
        if program == "perf":
            window = round(perf_rate * seconds), round(perf_rate * WARM_UP_S)
            rates[program] = perf_test(stand, f"bench-perf-{number}", sum(window), window[1])
        else:
            workload = Workload(seconds, warmup_s=WARM_UP_S)
            rates[program], cpu_us[program] = _ours(stand, f"max-{number}", workload, program == "recorded")
    cpu = cpu_us["recorded"], cpu_us["unrecorded"]
    return MaxRateRound(rates["perf"], rates["recorded"], rates["unrecorded"], cpu)


def _ours(stand: StackStand, name: str, workload: Workload, recorded: bool) -> tuple[float, float]:
    """Messages per second, and µs of the load generator's CPU per message."""
    before = children_cpu()
    run = LoadGenerator(stand, f"{name}-{int(recorded)}", workload, recorded)
    sent = int(run.finish()["sent"])
    return run.acked_per_second(), (children_cpu() - before) / sent * 1e6


def recorded_over_unrecorded(stand: StackStand, name: str, number: int, workload: Workload) -> float:
    """One paired round of another workload; the first of the two alternates."""
    rates = {}
    for recorded in (True, False) if number % 2 else (False, True):
        rates[recorded], _ = _ours(stand, f"{name}-{number}", workload, recorded)
    return rates[True] / rates[False]


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
