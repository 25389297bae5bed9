# SPDX-License-Identifier: Apache-2.0
"""python -m lab.powercut: see lab/powercut/README.md.

Exit code 0 when every promised row survived every cut, each loss was stated, and cuts without flushes lost rows;
else 1; 2 where this machine has no such drive.
"""

import argparse
import os
import random
import shutil
import sys
from pathlib import Path

from lab.powercut import drive, plan
from lab.powercut.part import CutResult, PowerCuts
from lab.stand.errors import StandError
from lab.stand.kafka import KafkaCluster
from tailrace.api import REPO_ROOT


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    if reason := drive.missing():
        print(f"powercut: {reason}", file=sys.stderr)
        return 2
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}: make test-powercut SEED={seed} does the same again", flush=True)
    # No figure of these runs counts.
    os.environ["TAILRACE_NO_FITNESS"] = "1"
    folder = REPO_ROOT / ".tailrace" / "powercut" / str(os.getpid())
    parts = plan.short(seed) if given.short else plan.plan(seed, given.cuts, 2)
    try:
        results = carry_out(parts, folder)
    except StandError as err:
        print(f"powercut: {err}", file=sys.stderr)
        return 1
    line, good = summed(results, seed)
    print(line, flush=True)
    if good:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if good else 1


def carry_out(parts: list[plan.PlannedPart], folder: Path) -> dict[str, list[CutResult]]:
    """The results of each part by its name. The logs stay in ``folder``."""
    broker_folder = folder / "broker"
    broker_folder.mkdir(parents=True)
    with KafkaCluster(broker_folder, brokers=1) as broker:
        cuts = PowerCuts(folder, broker.bootstrap_servers, lambda line: print(line, flush=True))
        return {part.name: cuts.run(part) for part in parts}


def summed(results: dict[str, list[CutResult]], seed: int) -> tuple[str, bool]:
    """The last line, and whether all is as promised."""
    every = [each for cuts in results.values() for each in cuts]
    promised, lost, doubled = (
        sum(getattr(e.compared, name) for e in every) for name in ("promised", "lost", "doubled")
    )
    kept = sum(each.compared.promised for each in results["fsync-fsync"])
    lost_without = sum(each.flushed_lost for each in results["none-none"])
    unstated = sum(each.unstated for each in every)
    # Without a flush of the deduplication log a block that is sent again may be stored twice.
    allowed = sum(e.compared.doubled for name, cuts in results.items() if not name.endswith("-fsync") for e in cuts)
    line = (
        f"RESULT cuts={len(every)} promised_rows={promised} promised_lost={lost} doubled={doubled - allowed}"
        f" lost_without_fsync={lost_without} unstated={unstated} seed={seed}"
    )
    return line, kept > 0 and lost == doubled - allowed == unstated == 0 and lost_without > 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.powercut", description="the power-cut test")
    parser.add_argument("--seed", type=int, default=None, help="do the same again; default: a new one, printed")
    parser.add_argument("--cuts", type=int, default=6, help="cuts where both flush; six more are without")
    parser.add_argument("--short", action="store_true", help="one cut with flushes and one without")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
