# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark; see lab/bench/README.md."""

import argparse
import os
import statistics
from typing import Any

from lab.bench.loadgen.programs import Workload, perf_test
from lab.bench.loadgen.rounds import (
    MaxRateRound,
    at_max_rate,
    publish_delay,
    recorded_over_unrecorded,
    soak,
    start_of_many,
)
from lab.bench.machine import headline
from lab.bench.pipeline import recorder
from lab.bench.pipeline.stand import BENCH_BUILD
from lab.bench.runner import run
from lab.bench.stack import bench_stack
from tailrace.api import connect

SHARE = 0.25
# Beside perf-test's workload, which has no keys and no consumers: one like OMB's examples, and one with keys.
OTHERS: dict[str, dict[str, Any]] = {
    "omb": {"partitions": 16, "groups": 1},
    "keyed": {"partitions": 16, "groups": 1, "keys": "random"},
}


def median(rounds: list[MaxRateRound], ratio: str) -> float:
    """Median ratio of our recorded rate to the rate that ``ratio`` names, round by round."""
    return statistics.median(each.recorded / float(getattr(each, ratio)) for each in rounds)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench-loadgen", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="paired rounds at max rate (3)")
    parser.add_argument("--seconds", type=int, default=15, help="length of each of our runs (15)")
    parser.add_argument("--soak", type=int, metavar="MINUTES", help="only watch memory, for this long")
    given = parser.parse_args()
    print(headline(), flush=True)
    with bench_stack("bench-loadgen") as stand:
        client = connect(stand.endpoints)
        if given.soak:
            seen = soak(stand, 20_000, given.soak * 60)
            print(f"RESULT soak_s={seen.seconds} rss_mb={seen.late / 1e6:.0f} growth={seen.growth:+.3f}")
            return
        perf_rate = perf_test(stand, "bench-perf-first", 1_000_000, 500_000)
        rounds = []
        for number in range(given.rounds):
            one = at_max_rate(stand, number, given.seconds, perf_rate)
            rounds.append(one)
            print(
                f"round {number}: perf-test {one.perf_test:,.0f}/s, ours recorded {one.recorded:,.0f}/s,"
                f" unrecorded {one.unrecorded:,.0f}/s; {one.cpu_us[0]:.2f} and {one.cpu_us[1]:.2f} µs of client CPU"
                f" a message; load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
        others = {}
        for name, keys in OTHERS.items():
            workload = Workload(given.seconds, **keys)
            ratios = [recorded_over_unrecorded(stand, name, number, workload) for number in range(given.rounds)]
            others[name] = statistics.median(ratios)
            print(f"{name}: recorded over unrecorded " + ", ".join(f"{each:.2f}" for each in ratios), flush=True)
        rate = SHARE * statistics.median(each.perf_test for each in rounds)
        delay = publish_delay(stand, client, rate, given.seconds)
        print(f"at {rate:,.0f}/s: publish delay p50 {delay['p50_us']} p99 {delay['p99_us']} µs", flush=True)
        took = start_of_many(stand)
        print(f"80 topics, 800 partitions, 160 producers: first message after {took:.1f} s", flush=True)
    recorder.main()
    scores = recorder.read(BENCH_BUILD / "recorder.json")
    print(
        f"RESULT vs_perf_test={median(rounds, 'perf_test'):.2f} vs_unrecorded={median(rounds, 'unrecorded'):.2f}"
        f" omb_vs_unrecorded={others['omb']:.2f} keyed_vs_unrecorded={others['keyed']:.2f}"
        f" client_us={statistics.median(each.cpu_us[0] for each in rounds):.2f}"
        f" client_us_unrecorded={statistics.median(each.cpu_us[1] for each in rounds):.2f}"
        f" sched_p99_us={delay['p99_us']} sched_p999_us={delay['p99_9_us']}"
        f" callback_ns={scores['acked'].nanos:.1f}"
        f" alloc_b_per_event={scores['acked'].bytes:.3f} start_s={took:.1f}"
    )


if __name__ == "__main__":
    run(main)
