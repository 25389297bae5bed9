# SPDX-License-Identifier: Apache-2.0
"""``python -m lab.bench.pipeline.overhead``: CPU time that measuring costs a host whose stack is up.

CPU time of the exporters from /proc/PID/stat, and of the JMX agent's own threads in the broker from
/proc/PID/task/TID/stat. Not in it: what ioprobe costs the program that calls fsync, and garbage that the
broker collects, or code that it compiles, for the agent.
"""

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from lab.bench.machine import headline
from lab.bench.runner import run
from lab.stand.errors import StandError
from lab.stand.program import cpu_seconds
from tailrace.api import StackPaths, states

GOAL_PERCENT = 2
# On every host that is measured; on a cluster the other two run elsewhere, and vmagent here in their place.
EXPORTERS = ("node-exporter", "ioprobe", "procprobe", "nvme-smart")
ELSEWHERE = ("victoria-metrics", "vmalert")
BROKER = "kafka"
# The agent's HTTP server. The kernel keeps 15 characters of a thread's name.
AGENT_THREADS = ("prometheus-http", "HTTP-Dispatcher")


@dataclass(frozen=True)
class Reading:
    """CPU seconds so far by program, and by thread of the JMX agent, at a time of the monotonic clock."""

    at_s: float
    programs: dict[str, float]
    threads: dict[int, float]

    def percent_since(self, before: "Reading", name: str) -> float:
        return 100 * (self.programs[name] - before.programs[name]) / (self.at_s - before.at_s)

    def agent_percent_since(self, before: "Reading") -> float | None:
        """None where no thread of the agent was there; one that came in between began at 0."""
        if not self.threads:
            return None
        grown = sum(cpu - before.threads.get(thread, 0) for thread, cpu in self.threads.items())
        return 100 * grown / (self.at_s - before.at_s)


def pids(paths: StackPaths) -> dict[str, int]:
    found = {state.name: state.pid for state in states(paths) or [] if state.pid}
    if missing := {*EXPORTERS, *ELSEWHERE, BROKER} - found.keys():
        raise StandError(f"{', '.join(sorted(missing))} do not run; start the stack: make up")
    return found


def own_seconds(task: Path) -> float:
    """User and system time of one thread; the children that the kernel counts there are the whole process's."""
    fields = (task / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def read(found: dict[str, int]) -> Reading:
    programs = {name: cpu_seconds(found[name]) for name in (*EXPORTERS, *ELSEWHERE, BROKER)}
    threads = {}
    for task in Path(f"/proc/{found[BROKER]}/task").iterdir():
        try:
            if (task / "comm").read_text().startswith(AGENT_THREADS):
                threads[int(task.name)] = own_seconds(task)
        except OSError:  # it has just ended
            continue
    return Reading(time.monotonic(), programs, threads)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench-overhead", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to watch (60)")
    seconds = parser.parse_args().seconds
    found = pids(StackPaths.load())
    print(f"{headline()}; percent of one core over {seconds:.0f} s", flush=True)
    before = read(found)
    time.sleep(seconds)
    after = read(found)
    if pids(StackPaths.load()) != found:
        raise StandError("a program restarted during the measurement; measure again")
    for name in (*EXPORTERS, *ELSEWHERE, BROKER):
        print(f"{name:18}{after.percent_since(before, name):6.2f}")
    cpu = sum(after.percent_since(before, name) for name in EXPORTERS)
    agent = after.agent_percent_since(before)
    if agent is None:
        print("the JMX agent's threads were not found in the broker: it is not included", file=sys.stderr)
    agent_percent = "not_included" if agent is None else f"{agent:.2f}"
    print(
        f"RESULT cpu_percent={cpu:.2f} jmx_percent={agent_percent} sum_percent={cpu + (agent or 0):.2f}"
        f" goal_percent={GOAL_PERCENT} seconds={seconds:.0f} load={os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    run(main)
