# SPDX-License-Identifier: Apache-2.0
"""python -m lab.chaos: see lab/chaos/README.md.

Exit code 0 when no row or message was lost or doubled, else 1; 2 for bad input.
"""

import argparse
import os
import random
import sys
from pathlib import Path

from lab.chaos import plan
from lab.chaos.kills import OtherSeed, Progress
from lab.chaos.stand import AGENT
from lab.chaos.storm import Storm, say
from lab.chaos.tally import Tally
from lab.stand.errors import StandError

FOLDER = Path(__file__).resolve().parents[2] / ".tailrace" / "chaos"


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    if not AGENT.exists():
        print(f"{AGENT} missing; run it by make test-chaos", file=sys.stderr)
        return 2
    try:
        tally, seed = _kills(given) if given.kills else _storm(given)
    except OtherSeed as err:
        print(f"chaos: {err}", file=sys.stderr)
        return 2
    except StandError as err:
        print(f"chaos: {err}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        if given.kills:
            print(
                f"interrupted; make test-chaos KILLS={given.kills} goes on after the last whole batch", file=sys.stderr
            )
        return 130
    print("\n".join(tally.lines(seed)), flush=True)
    return 0 if tally.good else 1


def _count(text: str) -> int:
    if (count := int(text)) < 1:
        raise ValueError
    return count


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.chaos", description="the chaos test")
    parser.add_argument("--seed", type=int, default=None, help="do the same again; default: a new one, printed")
    parser.add_argument(
        "--short", action="store_true", help="a minute and a half, instead of about a quarter of an hour"
    )
    parser.add_argument(
        "--kills",
        type=_count,
        default=0,
        help="kill programs that many times: about 350 an hour; goes on after an interrupt",
    )
    parser.add_argument(
        "--lie", action="store_true", help="drop and double a block and messages, to prove that all are seen"
    )
    return parser


def _storm(given: argparse.Namespace) -> tuple[Tally, int]:
    seed = _new_seed() if given.seed is None else given.seed
    print(f"seed {seed}: make test-chaos SEED={seed} does the same again", flush=True)
    must: tuple[str, ...] = ()
    if given.lie:
        rounds, at_least = plan.lies(), 2
    elif given.short:
        rounds, at_least, must = plan.short(seed), 5, plan.SHORT_MUST
    else:
        rounds, at_least = plan.plan(seed, rounds=11, load_s=26, faults=6, full_disk=os.geteuid() == 0), 60
    storm = Storm(FOLDER / str(os.getpid()), seed, given.lie)
    tally = storm.run(rounds, at_least, must)
    storm.finish()
    return tally, seed


def _kills(given: argparse.Namespace) -> tuple[Tally, int]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    progress = Progress.open(FOLDER / "kills.json", given.seed, _new_seed())
    print(f"seed {progress.seed}, {progress.tally.kills} of {given.kills} kills done", flush=True)

    def carry(batch: int, rounds: list[plan.PlannedRound]) -> Tally:
        storm = Storm(FOLDER / f"{os.getpid()}-{batch}", progress.seed)
        tally = storm.run(rounds, 1, ())
        storm.finish()
        return tally

    return progress.carry_out(given.kills, carry, say), progress.seed


def _new_seed() -> int:
    return random.SystemRandom().randrange(10**6)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
