# SPDX-License-Identifier: Apache-2.0
"""All runs after each other, on as few starts of the stack as there are drives."""

import itertools
import os
from collections.abc import Sequence
from dataclasses import replace

from lab.faults import plan, results
from lab.faults.answers import Answers
from lab.faults.errors import Unsupported
from lab.faults.journal import Journal
from lab.faults.kinds import ALL
from lab.faults.plan import RunPlan
from lab.faults.quiet import QUIET, Limits
from lab.faults.run import FaultRun, without_run
from lab.faults.score import score
from lab.faults.stand import PLAIN, FaultStand
from lab.faults.truth import SKIPPED, Truth, Truths
from lab.stand.errors import StandError
from tailrace.api import REPO_ROOT

RESULTS = REPO_ROOT / "docs" / "results" / "faults.md"


def say(line: str) -> None:
    print(line, flush=True)


class Lab:
    """One call of the lab."""

    def __init__(self, journal: Journal, plans: Sequence[RunPlan], limits: Limits, patience_s: float) -> None:
        self.journal = journal
        self.limits = limits
        self.patience_s = patience_s
        # A run of a loud machine has another name than one of a quiet machine.
        self.plans = [replace(made, loud=limits != QUIET) for made in plans]
        self.truths = Truths(journal.folder / "truth")
        self.answers = Answers(journal.folder / "answers")

    def _whole(self) -> bool:
        """A page that is kept is one of all kinds and of quiet runs, on a quiet machine, and nothing was skipped."""
        had = {(fault.kind, fault.strength) for made in self.plans for fault in made.faults}
        return (
            had == {(kind.name, strength) for kind in ALL.values() for strength in kind.strengths}
            and any(not made.faults for made in self.plans)
            and self.limits == QUIET
        )

    def run(self, no_network: str) -> int:
        """``no_network``: why this process has no separate network, if it has none. Returns the exit code."""
        os.environ["TAILRACE_FAULTS_NO_NETWORK"] = no_network
        self._settle()
        missing = [made for made in self.plans if not self.truths.has(made)]
        say(f"{len(self.plans)} runs, {len(self.plans) - len(missing)} of them made before")
        self.journal.guard()
        stand = FaultStand(self.journal)
        number = len(self.plans) - len(missing)
        for drive, group in itertools.groupby(sorted(missing, key=lambda made: made.drive), lambda made: made.drive):
            runs = list(group)
            try:
                stand.start_on(drive)
                for planned in runs:
                    number += 1
                    made = replace(planned, attempt=stand.attempts(planned.name) + 1)
                    say(f"run {number} of {len(self.plans)}: {made.run_id}, {made.load_s:.0f} s, {made.split}")
                    truth = FaultRun(stand, made, self.limits, self.patience_s, say).truth()
                    self.truths.write(made, truth)
                    if not truth.refused:
                        self._ask(made.run_id)
            except Unsupported as err:
                say(f"no {drive} drive: {err}")
                for made in runs:
                    self.truths.write(made, without_run(made, SKIPPED, str(err)))
            finally:
                stand.stop()
        made_before = [truth.run for truth in self._made() if not self.answers.current(truth.run)]
        if made_before:
            say(f"{len(made_before)} runs were explained by other rules than the current ones; explaining them again")
            self._ask_all(stand, made_before)
        return self._score()

    def again(self) -> int:
        """Ask explain once more about every run that is made, then score. Makes none."""
        self._settle()
        self.journal.guard()
        self._ask_all(FaultStand(self.journal), [truth.run for truth in self._made()])
        return self._score()

    def _made(self) -> list[Truth]:
        return [self.truths.read(made) for made in self.plans if self.truths.has(made)]

    def _ask_all(self, stand: FaultStand, runs: Sequence[str]) -> None:
        try:
            stand.start_on(PLAIN)
            for run in runs:
                self._ask(run)
        finally:
            stand.stop()

    def _settle(self) -> None:
        done, failures = self.journal.undo_all()
        if done or failures:
            say(f"an earlier lab left {done + len(failures)} changes; undone: {done}")
        if failures:
            raise StandError("; ".join(failures))

    def _ask(self, run_id: str) -> None:
        try:
            self.answers.ask(run_id)
        except StandError as err:
            say(f"  {err}")

    def _score(self) -> int:
        """Prints a RESULT line for each split that was asked for."""
        truths = [self.truths.read(made) for made in self.plans if self.truths.known(made)]
        runs = [(truth, self.answers.read(truth.run), self.answers.latency(truth.run)) for truth in truths]
        scores = [score(split, runs) for split in plan.SPLITS if any(made.split == split for made in self.plans)]
        whole = all(one.scored and not one.unanswered for one in scores)
        skipped = any(one.outcomes[SKIPPED] for one in scores)
        file = RESULTS if self._whole() and whole and not skipped else self.journal.folder / "results.md"
        page = results.page(scores, loud=self.limits != QUIET, rules=self.answers.rules)
        file.write_text(page, encoding="utf-8")
        say(f"confusion matrix in {file}")
        for one in scores:
            say(one.line())
        return 0 if whole else 1
