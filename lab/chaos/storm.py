# SPDX-License-Identifier: Apache-2.0
"""All rounds after each other on one stack, and the verdict."""

import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lab.chaos import journal, load, plan
from lab.chaos.compare import Comparison, compare
from lab.chaos.proxy import FaultProxy
from lab.chaos.rounds import RoundRun
from lab.chaos.stand import ChaosStand
from tailrace.api import connect

# What the audit reports about a machine that is too slow, and about messages that a broker delivered twice or lost.
# Neither is a row that was recorded and not stored.
_OF_THE_LOAD = re.compile(r"were overdue and never sent|subscription \d+: |… and \d+ more, all in runs.audit")


def say(line: str) -> None:
    print(line, flush=True)


@dataclass
class Storm:
    """``folder`` holds everything; it is deleted after a success and kept after a failure."""

    folder: Path
    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    total: Comparison = field(default_factory=Comparison)
    incomplete_runs: int = 0
    wrong: list[str] = field(default_factory=list)
    open: list[RoundRun] = field(default_factory=list)

    def run(self, rounds: list[plan.PlannedRound], at_least: int, must: Sequence[str]) -> int:
        """Returns the exit code. ``at_least``: how many faults must happen; ``must``: kinds that must be among them."""
        began = time.monotonic()
        with self._stack() as (stand, proxy):
            for planned in rounds:
                self._round(stand, proxy, planned)
            self._replay_rest(stand)
        if self.faults.total() < at_least:
            self.wrong.append(f"only {self.faults.total()} faults happened, of at least {at_least}")
        self.wrong += [f"no fault of this kind has happened: {kind}" for kind in must if not self.faults[kind]]
        return self._verdict(time.monotonic() - began)

    @contextmanager
    def _stack(self) -> Iterator[tuple[ChaosStand, FaultProxy]]:
        stand = ChaosStand(self.folder)
        proxy = FaultProxy(stand.warehouse_port)
        try:
            stand.route_collector_to(proxy.port)
            stand.start()
            yield stand, proxy
        finally:
            for round_run in self.open:
                round_run.stop()
            stand.stop()
            for round_run in self.open:
                round_run.unmount()
            proxy.close()

    def _round(self, stand: ChaosStand, proxy: FaultProxy, planned: plan.PlannedRound) -> None:
        say(f"round {planned.number}: {planned.load_s} s of load, ends {planned.end}")
        round_run = RoundRun(stand, proxy, planned, self.seed, say)
        self.open.append(round_run)
        round_run.carry_out()
        self.faults.update(round_run.happened)
        # Before it began, this run shipped what the one before had left.
        for done in list(self.open):
            if done is not round_run or planned.end != plan.KILLED_THEN_NEXT:
                self._judge(stand, done)

    def _replay_rest(self, stand: ChaosStand) -> None:
        for spool in load.unshipped(stand):
            load.ship(stand, spool)
        for done in list(self.open):
            self._judge(stand, done)

    def _judge(self, stand: ChaosStand, done: RoundRun) -> None:
        client = connect()
        made = done.load
        assert made is not None
        result = compare(client, done.run_id, journal.read(made.journal), done.death)
        audit = stand.tailrace("audit", done.run_id)
        verdict = _verdict_of(audit.stdout)
        expected = self._expected(done, result)
        say(
            f"  {done.run_id}: rows={result.rows} lost={result.lost} duplicated={result.duplicated}"
            f" unspooled={result.unspooled} incomplete={result.incomplete} audit={verdict}"
        )
        for note in result.notes:
            self.wrong.append(f"{done.run_id}: {note}")
        if verdict != expected:
            self.wrong.append(f"{done.run_id}: the audit gives {verdict}, expected {expected}:\n{audit.stdout}")
        if done.planned.end == plan.DISK_FULL and not result.incomplete:
            self.wrong.append(f"{done.run_id}: nothing was lost, so its full disk tested nothing")
        if "spool_full" in audit.stdout and " LOST " not in made.printed():
            self.wrong.append(f"{done.run_id}: its progress lines did not report the loss; see {made.output}")
        if not result.rows:
            self.wrong.append(f"{done.run_id}: no rows at all; see {made.output}")
        self.total.add(result)
        self.incomplete_runs += result.incomplete > 0
        shutil.rmtree(made.journal)
        done.unmount()
        self.open.remove(done)

    @staticmethod
    def _expected(done: RoundRun, result: Comparison) -> str:
        """A killed load generator cannot report what it had not written to disk: its run is never complete."""
        return "incomplete" if done.death is not None or result.incomplete else "pass"

    def _verdict(self, seconds: float) -> int:
        for line in self.wrong:
            say(f"WRONG {line}")
        good = not self.wrong and not self.total.lost and not self.total.duplicated
        if good:
            shutil.rmtree(self.folder)
        else:
            print(f"chaos: everything is kept in {self.folder}", file=sys.stderr)
        for kind, count in sorted(self.faults.items()):
            say(f"  {count:3} × {kind}")
        say(
            f"RESULT faults={self.faults.total()} lost={self.total.lost} duplicated={self.total.duplicated}"
            f" rows={self.total.rows} unspooled_at_kill={self.total.unspooled} incomplete_runs={self.incomplete_runs}"
            f" incomplete_rows={self.total.incomplete} wrong={len(self.wrong)} seed={self.seed} seconds={seconds:.0f}"
        )
        return 0 if good else 1


def _verdict_of(audit: str) -> str:
    """The audit's verdict on storage alone: pass, incomplete or fail."""
    if "audit=" not in audit:
        return "fail"
    reasons = [line for line in audit.partition("audit=fail")[2].splitlines() if line.strip()]
    reasons = [line for line in reasons if not _OF_THE_LOAD.search(line)]
    if not reasons:
        return "pass"
    return "incomplete" if all("incomplete: " in line for line in reasons) else "fail"
