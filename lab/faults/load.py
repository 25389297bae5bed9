# SPDX-License-Identifier: Apache-2.0
"""A run of the real load generator, small and steady, every message flushed to the drive."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lab.faults.errors import LabError
from lab.faults.plan import RunPlan
from lab.faults.stand import FaultStand
from lab.faults.system import started, until

COMMAND = str(Path(sys.executable).with_name("tailrace"))
WARMUP_S = 3
# How long two load generators on one host take to start.
LEAD = timedelta(seconds=25)

WORKLOAD = """\
name: faultlab
topics: 1
partitionsPerTopic: 4
messageSize: 1024
subscriptionsPerTopic: 1
producersPerTopic: 1
consumerPerSubscription: {consumers}
producerRate: 100
warmupDuration: {warmup}s
testDuration: {seconds:.0f}s
drainTimeout: 60s
seed: {seed}
"""

DRIVER = """\
name: faultlab
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
replicationFactor: 1
producerConfig: |
  acks=all
  linger.ms=0
consumerConfig: |
  auto.offset.reset=earliest
  enable.auto.commit=true
  auto.commit.interval.ms=1000
topicConfig: |
  flush.messages=1
"""


class Load:
    """``tailrace run`` in the background; its output is in ``output``."""

    def __init__(self, stand: FaultStand, plan: RunPlan) -> None:
        self.stand = stand
        self.run_id = plan.run_id
        folder = stand.loads
        folder.mkdir(exist_ok=True)
        self.output = folder / f"{self.run_id}.out"
        workload, driver = folder / "workload.yaml", folder / "driver.yaml"
        consumers = max(1, plan.workers)
        workload.write_text(
            WORKLOAD.format(consumers=consumers, warmup=WARMUP_S, seconds=plan.load_s, seed=plan.seed % 2**31)
        )
        driver.write_text(DRIVER)
        command = [COMMAND, "run", str(workload), "--driver", str(driver), "--run-id", self.run_id, "--no-report"]
        if plan.workers > 1:
            start = datetime.now(UTC) + LEAD
            command += ["--workers", str(plan.workers), "--start-at", start.isoformat(timespec="seconds")]
        with self.output.open("w") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        self._entry = stand.journal.record("kill", str(self.process.pid), str(started(self.process.pid)))

    def printed(self) -> str:
        return self.output.read_text(errors="replace")

    def wait_measured(self) -> None:
        """Wait until the measure phase has begun."""

        def begun() -> bool:
            if self.process.poll() is not None:
                raise LabError("the run ended before its load began", self.output)
            return re.search(r"^(\[0\] )?measure ", self.printed(), re.M) is not None

        until(begun, f"the load begins; see {self.output}", 150)

    def wait(self) -> int:
        """Wait until the run is stored; returns its exit code. The audit may fail: consumers may have read twice."""
        try:
            code = self.process.wait(600)
        except subprocess.TimeoutExpired as err:
            raise LabError("the run did not end", self.output) from err
        self.stand.journal.undo(self._entry)
        if "RESULT " not in self.printed():
            raise LabError(f"the run ended with {code} and no result", self.output)
        return code

    def stop(self) -> None:
        """One signal ends it in order: what it has recorded is shipped."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.stand.journal.undo(self._entry)
                self.process.wait(10)
