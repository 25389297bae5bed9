# SPDX-License-Identifier: Apache-2.0
"""Rounds after each other on one stack, and what is found after each of them."""

import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lab.chaos import journal, load, log, messages, plan
from lab.chaos.audited import Audited, audited
from lab.chaos.compare import Comparison, compare
from lab.chaos.rounds import RoundRun
from lab.chaos.stand import ChaosStand
from lab.chaos.tally import Tally
from lab.stand.block_proxy import FaultProxy
from tailrace.api import connect


def say(line: str) -> None:
    print(line, flush=True)


@dataclass
class Storm:
    """``folder`` holds everything; ``lie``: put messages into the log that the comparison must find."""

    folder: Path
    seed: int
    lie: bool = False
    tally: Tally = field(default_factory=Tally)
    open: list[RoundRun] = field(default_factory=list)

    def run(self, rounds: list[plan.PlannedRound], at_least: int, must: Sequence[str]) -> Tally:
        """``at_least``: how many faults must happen; ``must``: kinds that must be among them."""
        began = time.monotonic()
        with self._stack() as (stand, proxy):
            for planned in rounds:
                self._round(stand, proxy, planned)
            self._replay_rest(stand)
        tally = self.tally
        if tally.faults.total() < at_least:
            tally.wrong.append(f"only {tally.faults.total()} faults happened, of at least {at_least}")
        tally.wrong += [f"no fault of this kind has happened: {kind}" for kind in must if not tally.faults[kind]]
        tally.seconds = time.monotonic() - began
        return tally

    def finish(self) -> None:
        """Delete the folder after a success, keep it after a failure."""
        if self.tally.good:
            shutil.rmtree(self.folder)
        else:
            print(f"chaos: everything is kept in {self.folder}", file=sys.stderr)

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
        self.tally.faults.update(round_run.happened)
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
        rows = compare(client, done.run_id, journal.read(made.journal), done.death)
        if self.lie:
            log.call(stand, "lie", done.run_id)
        acked, received = (messages.journaled(made.journal, kind) for kind in ("acked", "received"))
        found = messages.compare(messages.Seen(acked, received, *log.read(stand, done.run_id)), done.allowed)
        printed = stand.tailrace("audit", done.run_id).stdout
        audit = audited(client, done.run_id, done.allowed)
        say(
            f"  {done.run_id}: messages={found.messages} missing={found.missing} duplicated={found.duplicated}"
            f" reordered={found.reordered} redelivered={found.redelivered} unread={found.unread} rows={rows.rows}"
            f" lost_rows={rows.lost} duplicated_rows={rows.duplicated} unspooled={rows.unspooled}"
            f" incomplete={rows.incomplete} audit={audit.verdict}"
        )
        self.tally.wrong += [
            f"{done.run_id}: {line}" for line in self._problems(done, made, rows, found, audit, printed)
        ]
        rows.notes, found.notes = [], []
        self.tally.rows.add(rows)
        self.tally.messages.add(found)
        self.tally.incomplete_runs += rows.incomplete > 0
        log.call(stand, "delete", done.run_id)
        shutil.rmtree(made.journal)
        done.unmount()
        self.open.remove(done)

    @staticmethod
    def _problems(
        done: RoundRun, made: load.Load, rows: Comparison, found: messages.Messages, audit: Audited, printed: str
    ) -> Iterator[str]:
        yield from (*rows.notes, *found.notes)
        # A killed load generator cannot report what it had not written to disk: its run is never complete.
        expected = "incomplete" if done.death is not None or rows.incomplete else "pass"
        if audit.verdict != expected:
            yield f"the audit gives {audit.verdict}, expected {expected}: {'; '.join(audit.causeless) or printed}"
        if done.planned.end == plan.DISK_FULL and not rows.incomplete:
            yield "nothing was lost, so its full disk tested nothing"
        if "spool_full" in printed and " LOST " not in made.printed():
            yield f"its progress lines did not report the loss; see {made.output}"
        if not rows.rows:
            yield f"no rows at all; see {made.output}"
