# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.agent``: a broker's CPU time per message and publish latency, with the agent and without.

Two brokers are up at the same time, one with the agent. Runs alternate between them, so what changes on the machine
reaches both. Each pair of brokers has other compilations by the JVM, so more pairs are better than more rounds.
"""

import argparse
import os
import statistics
import time
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from lab.bench.agent.ratios import paired
from lab.bench.loadgen.programs import LoadGenerator, Workload
from lab.bench.machine import headline
from lab.bench.runner import run
from lab.bench.stack import bench_stack
from lab.stand.kafka import KafkaCluster
from lab.stand.program import built
from lab.stand.stack import StackStand
from lab.stand.waiting import until
from tailrace.api import REPO_ROOT, catalogue, connect

GOAL_PERCENT = 1
AGENT = REPO_ROOT / ".tailrace" / "build" / "brokeragent"
# As stack/kafka/start.sh.
JVM = (
    *("-Xms256m", "-Xmx512m", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"),
    *("-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent"),
)
SETTLED_S = 60.0
ROWS = (
    "SELECT count() AS rows, uniqExact(connection, correlation_id, read_time) AS requests,"
    " (SELECT sum(events) FROM v_ledger WHERE run_id = {r:String} AND stream = 'broker_requests' AND kind = 'lost')"
    " AS lost, (SELECT sum(events) FROM v_ledger WHERE run_id = {r:String} AND stream = 'broker_requests'"
    " AND kind = 'recorded') AS recorded FROM v_broker_requests WHERE run_id = {r:String}"
)


@dataclass(frozen=True)
class Measured:
    """One run: the broker's CPU per message, and its publish p99."""

    cpu_us: float
    p99_us: float


@dataclass
class Counted:
    """Over all runs with the agent."""

    rows: int = 0
    requests: int = 0
    lost: int = 0


def broker(stand: StackStand, name: str, with_agent: bool) -> KafkaCluster:
    agent = built(AGENT / "agent" / "brokeragent.jar")
    options = f"broker=1,collector={stand.endpoints.otlp_url},shipping={AGENT / 'shipping'}"
    folder = stand.folder / name
    folder.mkdir()
    return KafkaCluster(folder, 1, jvm=(*JVM, f"-javaagent:{agent}={options}") if with_agent else JVM)


def measure(stand: StackStand, cluster: KafkaCluster, run_id: str, workload: Workload, client: Client) -> Measured:
    """The CPU time is that of a window in the measure phase, a second from both of its ends."""
    load = LoadGenerator(stand, run_id, workload, servers=cluster.bootstrap_servers)
    load.await_line("measure ")
    time.sleep(1)
    program = cluster.programs[1]
    start, before = time.monotonic(), program.cpu_seconds()
    time.sleep(workload.seconds - 3)
    used, passed = program.cpu_seconds() - before, time.monotonic() - start
    load.finish()
    question = catalogue.load("latency_percentiles")
    rows = client.query(question.text, parameters=question.fill({"run_id": run_id})).named_results()
    p99 = next(row["p99_us"] for row in rows if row["stage"] == "publish")
    return Measured(used / passed / (workload.rate or 1) * 1e6, p99)


def _rows(client: Client, run_id: str) -> dict[str, int]:
    return next(iter(client.query(ROWS, parameters={"r": run_id}).named_results()))


def count(client: Client, run_id: str, counted: Counted) -> None:
    """Wait until the agent's rows are stored, and add them."""

    def stored() -> bool:
        found = _rows(client, run_id)
        return bool(found["recorded"] - found["lost"] == found["rows"] > 0)

    until(stored, "the agent's rows are stored", SETTLED_S)
    found = _rows(client, run_id)
    counted.rows += found["rows"]
    counted.requests += found["requests"]
    counted.lost += found["lost"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench-agent", description=__doc__)
    parser.add_argument("--pairs", type=int, default=2, help="pairs of brokers (2)")
    parser.add_argument("--rounds", type=int, default=2, help="runs on each broker of a pair (2)")
    parser.add_argument("--seconds", type=int, default=12, help="length of each measure phase, at least 5 (12)")
    parser.add_argument("--warmup", type=int, default=15, help="seconds before each measure phase (15)")
    parser.add_argument("--rate", type=int, default=20_000, help="messages/s (20000)")
    given = parser.parse_args()
    if given.seconds < 5:
        parser.error("--seconds must be at least 5")
    print(headline(), flush=True)
    workload = Workload(given.seconds, given.rate, partitions=16, producers=4, groups=1, warmup_s=given.warmup)
    found: dict[bool, list[Measured]] = {True: [], False: []}
    counted = Counted()
    with bench_stack("bench-agent") as stand:
        client = connect(stand.endpoints)
        for pair in range(given.pairs):
            one_pair(stand, client, given.rounds, pair, workload, found, counted)
    with_agent, without = found[True], found[False]
    cpu = paired([each.cpu_us for each in with_agent], [each.cpu_us for each in without])
    p99 = paired([each.p99_us for each in with_agent], [each.p99_us for each in without])
    print(
        f"broker: {statistics.fmean(each.cpu_us for each in without):.2f} µs of CPU a message without the agent;"
        f" with it times {cpu}; p99 times {p99}"
    )
    percent = [100 * (each - 1) for each in (cpu.middle, cpu.least, cpu.most)]
    print(
        f"RESULT agent_cpu_percent={percent[0]:.1f} from={percent[1]:.1f} to={percent[2]:.1f}"
        f" goal_percent={GOAL_PERCENT} p99_ratio={p99.middle:.3f} p99_from={p99.least:.3f} p99_to={p99.most:.3f}"
        f" lost={counted.lost} rows_per_request={counted.rows / counted.requests:.2f}"
    )


def one_pair(
    stand: StackStand,
    client: Client,
    rounds: int,
    pair: int,
    workload: Workload,
    found: dict[bool, list[Measured]],
    counted: Counted,
) -> None:
    """Both brokers carry a run that is not counted first, so that the JVM has compiled what it will."""
    with broker(stand, f"with-{pair}", True) as on, broker(stand, f"without-{pair}", False) as off:
        for number in range(-1, rounds):
            order = (True, False) if (number + pair) % 2 else (False, True)
            for with_agent in order:
                run_id = f"agent-{pair}-{number + 1}-{'on' if with_agent else 'off'}"
                cluster = on if with_agent else off
                measured = measure(stand, cluster, run_id, workload, client)
                print(
                    f"{run_id}: {measured.cpu_us:.2f} µs of CPU a message, p99 {measured.p99_us} µs,"
                    f" load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
                if number >= 0:
                    found[with_agent].append(measured)
                if with_agent:
                    count(client, run_id, counted)


if __name__ == "__main__":
    run(main)
