# SPDX-License-Identifier: Apache-2.0
"""python -m lab.audit: see lab/audit/README.md.

Exit code 0 when the audit found every anomaly and raised no false alarm, else 1.
"""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from lab.audit.anomalies import CASES, Case
from lab.audit.runs import Outcome, carry_out
from lab.audit.stand import AuditStand
from lab.audit.verdicts import false_alarms, wrong
from lab.stand.errors import StandError

FOLDER = Path(__file__).resolve().parents[2] / ".tailrace" / "audit"
# The runs wait most of their time.
AT_ONCE = 3


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    cases = [case for case in CASES if not given.names or case.name in given.names]
    if unknown := set(given.names) - {case.name for case in CASES}:
        print(f"audit: no case {', '.join(sorted(unknown))}; there are {', '.join(c.name for c in CASES)}")
        return 2
    folder = FOLDER / str(os.getpid())
    begun = time.monotonic()
    planted = found = alarms = 0
    try:
        with AuditStand(folder) as stand:
            for outcome in _outcomes(stand, cases, folder, given.at_once):
                differs = _judged(outcome)
                if outcome.case.plant:
                    planted += 1
                    found += not differs
                else:
                    alarms += len(differs)
                _show(outcome, differs)
    except StandError as err:
        print(f"audit: {err}", file=sys.stderr)
        return 1
    good = found == planted and not alarms
    if good:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"logs: {folder}")
    seconds = time.monotonic() - begun
    print(
        f"RESULT anomalies_planted={planted} found={found} false_alarms={alarms}"
        f" clean_runs={len(cases) - planted} seconds={seconds:.0f}"
    )
    return 0 if good else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.audit", description="plants anomalies and audits the runs")
    parser.add_argument("names", nargs="*", help="cases of lab/audit/anomalies.py; default: all")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="how many runs at the same time")
    return parser


def _outcomes(stand: AuditStand, cases: Sequence[Case], folder: Path, at_once: int) -> Iterator[Outcome]:
    """Each run in one of a few state folders: two runs of one folder follow each other."""
    free: SimpleQueue[Path] = SimpleQueue()
    for number in range(at_once):
        free.put(folder / f"state-{number}")

    def one(case: Case) -> Outcome:
        state = free.get()
        try:
            return carry_out(stand, case, state)
        finally:
            free.put(state)

    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(one, cases)


def _judged(outcome: Outcome) -> list[str]:
    if outcome.case.plant:
        return wrong(outcome)
    return false_alarms(outcome, (note for case in CASES for note in case.notes))


def _show(outcome: Outcome, differs: Sequence[str]) -> None:
    kind = "anomaly" if outcome.case.plant else "clean"
    names = ", ".join(dict.fromkeys(check for check, _ in outcome.checks)) or outcome.verdict
    where = " ".join(f"{key}={value}" for key, value in (outcome.planted or {}).items())
    print(f"{'ok  ' if not differs else 'FAIL'} {kind} {outcome.case.name}: {names} {where}".rstrip(), flush=True)
    for line in differs:
        print(f"       {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
