# SPDX-License-Identifier: Apache-2.0
"""A run of the real load generator, small and steady, every message flushed to the drive."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from lab.faults.plan import RunPlan
from lab.faults.stand import FaultStand
from lab.faults.system import started
from lab.stand.errors import StandError
from lab.stand.run import BackgroundRun

HERE = Path(__file__).parent
# How long two load generators on one host take to start.
LEAD = timedelta(seconds=25)


class Load(BackgroundRun):
    """The run of a plan; the journal kills it."""

    def __init__(self, stand: FaultStand, plan: RunPlan) -> None:
        self.stand = stand
        stand.loads.mkdir(exist_ok=True)
        workload = stand.loads / "workload.yaml"
        planned = {
            "consumerPerSubscription": max(1, plan.workers),
            "testDuration": f"{plan.load_s:.0f}s",
            "seed": plan.seed % 2**31,
        }
        base = yaml.safe_load((HERE / "workload.yaml").read_text())
        workload.write_text(yaml.safe_dump({**base, **planned}))
        arguments = [str(workload), "--driver", str(HERE / "driver.yaml"), "--run-id", plan.run_id]
        if plan.workers > 1:
            start = datetime.now(UTC) + LEAD
            arguments += ["--workers", str(plan.workers), "--start-at", start.isoformat(timespec="seconds")]
        super().__init__(arguments, stand.loads / f"{plan.run_id}.out")
        self._entry = stand.journal.record("kill", str(self.process.pid), str(started(self.process.pid)))

    def wait_stored(self) -> None:
        """Wait until the run is stored. The audit may fail: consumers may have read twice."""
        code = self.wait(600)
        self.stand.journal.undo(self._entry)
        if "RESULT " not in self.printed():
            raise StandError(f"the run ended with {code} and no result", self.output)

    def stop(self) -> None:
        """One signal ends it in order: what it has recorded is shipped."""
        if not self.interrupt(30):
            self.stand.journal.undo(self._entry)
            self.process.wait(10)
