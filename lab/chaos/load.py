# SPDX-License-Identifier: Apache-2.0
"""A run of the real load generator whose rows the journal keeps."""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import yaml

from lab.chaos.plan import PlannedRound
from lab.chaos.stand import AGENT, ChaosStand, kill
from lab.stand.errors import StandError
from lab.stand.run import COMMAND, BackgroundRun
from lab.stand.waiting import until

WORKLOAD = Path(__file__).with_name("workload.yaml")


class Load(BackgroundRun):
    """The run of a round. Its journal is in ``journal``."""

    def __init__(self, stand: ChaosStand, run_id: str, planned: PlannedRound, seed: int) -> None:
        self.stand = stand
        self.run_folder = stand.paths.runs / run_id
        self.spool = self.run_folder / "spool"
        self.journal = stand.folder / f"{run_id}.journal"
        self.journal.mkdir()
        keys = {
            "partitionsPerTopic": planned.partitions,
            "producersPerTopic": planned.producers,
            "producerRate": planned.rate,
            "testDuration": f"{planned.load_s}s",
            "seed": seed % 2**31,
        }
        workload = stand.folder / f"{run_id}.yaml"
        workload.write_text(yaml.safe_dump({**yaml.safe_load(WORKLOAD.read_text()), **keys}))
        # Its rate needs all of java's compilers, whatever the tests set.
        env = os.environ | {"JAVA_TOOL_OPTIONS": f"-javaagent:{AGENT}={self.journal}", "TAILRACE_LOADGEN_JVM": ""}
        super().__init__([workload, "--run-id", run_id], stand.folder / f"{run_id}.out", env)

    def generator(self) -> psutil.Process | None:
        return _java_with(self.stand, "run", self.spool)

    def kill_generator(self) -> int:
        """SIGKILL for the load generator alone; returns when, µs since 1970."""
        victim = self.generator()
        if victim is None:
            raise StandError("the load generator ended before it was killed", self.output)
        kill(victim)
        until(lambda: not victim.is_running(), "the load generator is gone", 10)
        return time.time_ns() // 1000


def unshipped(stand: ChaosStand) -> Iterator[Path]:
    """Spools that runs have left behind."""
    for checkpoint in sorted(stand.paths.runs.glob("*/spool/checkpoint")):
        yield checkpoint.parent


def ship(stand: ChaosStand, spool: Path) -> None:
    """``tailrace ship`` until the spool is empty and gone; its exit status is 1 where rows were lost before."""
    done = stand.tailrace("ship", str(spool))
    if done.returncode not in (0, 1) or spool.exists():
        raise StandError(f"ship {spool} ended with {done.returncode}: {done.stdout}{done.stderr}")


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
