# SPDX-License-Identifier: Apache-2.0
"""python -m lab.audit: see lab/audit/README.md.

Exit code 0 when the audit found every anomaly and raised no false alarm, else 1; 2 for bad input.
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

from lab.audit.anomalies import CASES
from lab.audit.plan import Case, PlannedRun
from lab.audit.runs import Outcome, carry_out
from lab.audit.stand import AuditStand
from lab.audit.verdicts import Judged, judge
from lab.stand.errors import StandError

FOLDER = Path(__file__).resolve().parents[2] / ".tailrace" / "audit"
# A run mostly waits.
AT_ONCE = 3


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    names = [case.name for case in CASES]
    if unknown := sorted(set(given.cases) - set(names)):
        print(f"audit: no case {', '.join(unknown)}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    cases = [case for case in CASES if not given.cases or case.name in given.cases]
    folder = FOLDER / str(os.getpid())
    begun = time.monotonic()
    planted = missed = alarms = clean = broken = upheld = 0
    try:
        with AuditStand(folder) as stand:
            for outcome in _outcomes(stand, _runs(cases, given.planted), folder, given.at_once):
                judged = judge(outcome, _notes(CASES))
                planted += sum(plant.is_anomaly for plant in outcome.run.plants)
                clean += outcome.run.clean
                broken += sum(plant.claim is not None for plant in outcome.run.plants)
                upheld += len(judged.upheld)
                controls = sum(not plant.is_anomaly for plant in outcome.run.plants if plant.name in judged.missed)
                missed += len(judged.missed) - controls
                alarms += len(judged.alarms) + controls
                _show(outcome, judged)
    except StandError as err:
        print(f"audit: {err}", file=sys.stderr)
        return 1
    if good := not (missed or alarms or upheld or given.keep):
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"logs: {folder}")
    seconds = time.monotonic() - begun
    print(
        f"RESULT anomalies_planted={planted} found={planted - missed} false_alarms={alarms} clean_runs={clean}"
        f" claims_broken={broken} claims_found={broken - upheld} seconds={seconds:.0f}"
    )
    return 0 if good or not (missed or alarms or upheld) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.audit", description="plants anomalies and audits the runs")
    parser.add_argument("cases", nargs="*", help="cases of lab/audit/anomalies.py; default: all")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="how many runs at the same time")
    parser.add_argument("--planted", action="store_true", help="leave the clean runs out")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    return parser


def _runs(cases: Sequence[Case], planted_only: bool) -> list[PlannedRun]:
    return [PlannedRun(case, clean) for case in cases for clean in ((False,) if planted_only else (False, True))]


def _notes(cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        yield from (note for plant in case.plants for note in plant.notes)


def _outcomes(stand: AuditStand, runs: Sequence[PlannedRun], folder: Path, at_once: int) -> Iterator[Outcome]:
    """Each run in one of a few state folders: two runs of one folder follow each other."""
    free: SimpleQueue[Path] = SimpleQueue()
    for number in range(at_once):
        free.put(folder / f"state-{number}")

    def one(run: PlannedRun) -> Outcome:
        state = free.get()
        try:
            return carry_out(stand, run, state)
        finally:
            free.put(state)

    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(one, runs)


def _show(outcome: Outcome, judged: Judged) -> None:
    run = outcome.run
    print(f"{run.run_id}: {outcome.verdict}, {len(outcome.failures)} failures", flush=True)
    for plant in run.plants:
        why = [*judged.missed.get(plant.name, []), *filter(None, [judged.upheld.get(plant.name)])]
        where = " ".join(f"{key}={value}" for key, value in (outcome.planted[plant.name] or {}).items())
        names = ", ".join(check for check, _ in plant.fails) or ("noted" if plant.notes else "nothing")
        names += f", claim {plant.claim[0]}" if plant.claim else ""
        print(f"  {'FAIL' if why else 'ok  '} {plant.name}: {names} {where}".rstrip(), flush=True)
        for line in why:
            print(f"         {line}", flush=True)
    for line in judged.alarms:
        print(f"  FAIL false alarm: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
