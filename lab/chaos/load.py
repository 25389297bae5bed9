# SPDX-License-Identifier: Apache-2.0
"""A run of the real load generator whose rows the journal keeps."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from lab.chaos.plan import Round
from lab.chaos.stand import AGENT, COMMAND, ChaosError, ChaosStand, kill, until

WORKLOAD = """\
name: chaos
topics: 1
partitionsPerTopic: {partitions}
messageSize: 100
subscriptionsPerTopic: 1
producersPerTopic: {producers}
consumerPerSubscription: 2
producerRate: {rate}
warmupDuration: 1s
testDuration: {seconds}s
drainTimeout: 60s
seed: {seed}
"""


class Load:
    """``tailrace run`` in the background. Its journal is in ``journal``, its output in ``output``."""

    def __init__(self, stand: ChaosStand, run_id: str, planned: Round, seed: int) -> None:
        self.stand = stand
        self.run_id = run_id
        self.run_folder = stand.paths.runs / run_id
        self.spool = self.run_folder / "spool"
        self.journal = stand.folder / f"{run_id}.journal"
        self.journal.mkdir()
        self.output = stand.folder / f"{run_id}.out"
        workload = stand.folder / f"{run_id}.yaml"
        workload.write_text(
            WORKLOAD.format(
                rate=planned.rate,
                seconds=planned.load_s,
                partitions=planned.partitions,
                producers=planned.producers,
                seed=seed % 2**31,
            )
        )
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [COMMAND, "run", str(workload), "--run-id", run_id, "--no-report"],
                env=os.environ | {"JAVA_TOOL_OPTIONS": f"-javaagent:{AGENT}={self.journal}"},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_begun(self) -> None:
        def begun() -> bool:
            if self.process.poll() is not None:
                raise ChaosError("the run ended before its load began", self.output)
            return re.search(r"^warmup ", self.printed(), re.M) is not None

        until(begun, "the load begins", 240, self.output)

    def printed(self) -> str:
        return self.output.read_text(errors="replace")

    def generator(self) -> psutil.Process | None:
        return _java_with(self.stand, "run", self.spool)

    def kill(self) -> int:
        """SIGKILL for the load generator alone; returns when, µs since 1970."""
        victim = self.generator()
        if victim is None:
            raise ChaosError("the load generator ended before it was killed", self.output)
        kill(victim)
        until(lambda: not victim.is_running(), "the load generator is gone", 10)
        return time.time_ns() // 1000

    def wait(self, timeout_s: float = 240) -> int:
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired as err:
            raise ChaosError("the run did not end", self.output) from err

    def stop(self) -> None:
        """Kill what is left of it when the test fails."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


def unshipped(stand: ChaosStand) -> Iterator[Path]:
    """Spools that runs have left behind."""
    for checkpoint in sorted(stand.paths.runs.glob("*/spool/checkpoint")):
        yield checkpoint.parent


def ship(stand: ChaosStand, spool: Path) -> None:
    """``tailrace ship`` until the spool is empty and gone; its exit status is 1 where rows were lost before."""
    done = stand.tailrace("ship", str(spool))
    if done.returncode not in (0, 1) or spool.exists():
        raise ChaosError(f"ship {spool} ended with {done.returncode}: {done.stdout}{done.stderr}")


def ship_killed(stand: ChaosStand, spool: Path) -> None:
    """``tailrace ship``, killed as soon as it holds the spool's lock and has begun to work."""
    with subprocess.Popen([COMMAND, "ship", str(spool)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        until(lambda: _java_with(stand, "ship", spool) is not None or run.poll() is not None, "ship starts", 30)
        time.sleep(0.9)
        victim = _java_with(stand, "ship", spool)
        if victim is not None:
            kill(victim)
        run.wait(60)


def _java_with(stand: ChaosStand, command: str, spool: Path) -> psutil.Process | None:
    wanted = {"-jar", command, str(spool)}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if wanted <= set(process.cmdline()):
                return process
    return None
