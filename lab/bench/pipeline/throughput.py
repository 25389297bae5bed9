# SPDX-License-Identifier: Apache-2.0
"""make bench-throughput: half a million events a second through recorder, collector and warehouse."""

import os
import threading
import time

from lab.bench.machine import headline, machine_busy_seconds
from lab.bench.pipeline.paths import OURS
from lab.bench.pipeline.stand import PipelineStand, pipeline_stand
from lab.stand.errors import StandError
from lab.stand.program import Program

RATE = int(os.environ.get("BENCH_RATE", "500000"))
SECONDS = int(os.environ.get("BENCH_SECONDS", "60"))
THREADS = int(os.environ.get("BENCH_THREADS", "4"))
MAIN = "io.tailrace.bench.ThroughputMain"
RUN = "bench-throughput"


def main() -> None:
    print(
        f"{headline()}\n{RATE:,} events/s for {SECONDS} s, {THREADS} recording threads and as many that record nothing",
        flush=True,
    )
    with pipeline_stand(with_stock=False) as made:
        emitter = made.emitter(
            MAIN,
            "emitter-throughput",
            f"http://127.0.0.1:{made.to_collector['ours'].port}",
            str(RATE),
            str(SECONDS),
            str(THREADS),
        )
        try:
            _measure(made, emitter)
        finally:
            emitter.stop()


def _measure(made: PipelineStand, emitter: Program) -> None:
    if emitter.read_line() != "warm":
        raise StandError("the emitter did not warm up", emitter.log)
    warehouse = made.warehouse
    warehouse.wait_merges(made.programs["warehouse"].cpu_seconds)
    wire = made.to_collector["ours"].forward_bytes
    measured = {"emitter": emitter.cpu_seconds} | {name: program.cpu_seconds for name, program in made.programs.items()}
    before = {name: cpu() for name, cpu in measured.items()}
    busy, began = machine_busy_seconds(), time.monotonic()
    emitter.write_line("go")
    parts = _Parts(made)
    answer = {name: float(value) for name, value in (word.split("=") for word in emitter.read_line().split())}
    most_parts = parts.stop()
    inserts_s = measured["warehouse"]() - before["warehouse"]
    warehouse.wait_merges(made.programs["warehouse"].cpu_seconds)
    warehouse.merge_all(OURS.tables)
    spent = {name: cpu() - before[name] for name, cpu in measured.items()}
    own = machine_busy_seconds() - busy - sum(spent.values())
    others = own / ((time.monotonic() - began) * (os.cpu_count() or 1))
    wire = made.to_collector["ours"].forward_bytes - wire
    stored = warehouse.number(f"SELECT count() FROM default.publishes WHERE run_id = '{RUN}'")
    bounds = warehouse.client.query(
        f"SELECT uniqExact(producer), uniqExact(partition), sum(offset) FROM default.publishes WHERE run_id = '{RUN}'"
    ).result_rows[0]
    events = int(answer["events"])
    total = spent["emitter"] + spent["collector"] + spent["warehouse"]
    for name, value in answer.items():
        print(f"  {name:24} {value:,.3f}".removesuffix(".000"))
    print(
        f"  stored rows: {stored:,}; producers, partitions, sum of offsets: {', '.join(map(str, bounds))}\n"
        f"  CPU, ns an event: emitter with pacing and clock {spent['emitter'] * 1e9 / events:.0f},"
        f" collector {spent['collector'] * 1e9 / events:.0f}, warehouse until drained"
        f" {inserts_s * 1e9 / events:.0f}, merged to the end {spent['warehouse'] * 1e9 / events:.0f};"
        f" live metrics' store {spent['victoria-metrics'] * 1e9 / events:.0f}\n"
        f"  wire {wire / events:.2f} B an event; most parts of a partition {most_parts};"
        f" others {others:.0%} of the machine (the benchmark's own polling among them), load {os.getloadavg()[0]:.1f}"
    )
    print(
        f"RESULT events={events} stored={stored} lost={events - stored} max_call_us={answer['max_call_us']:.0f}"
        f" sched_max_us={max(answer['control_max_call_us'], answer['control_max_late_us']):.0f}"
        f" drain_s={answer['drain_s']:.2f} cpu_ns_per_event={total * 1e9 / events:.0f}"
        f" max_burst_cpu_us={answer['max_burst_cpu_us']:.0f}"
    )


class _Parts:
    """Watches for inserts outrunning merges, once a second."""

    def __init__(self, made: PipelineStand) -> None:
        self._made = made
        self._most = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> int:
        self._done.set()
        self._thread.join()
        return self._most

    def _watch(self) -> None:
        while not self._done.wait(1):
            now = self._made.warehouse.number(
                "SELECT max(parts) FROM (SELECT count() AS parts FROM system.parts"
                " WHERE active AND database = 'default' GROUP BY table, partition)"
            )
            self._most = max(self._most, now)
