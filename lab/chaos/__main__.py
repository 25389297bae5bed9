# SPDX-License-Identifier: Apache-2.0
"""python -m lab.chaos: see lab/chaos/README.md.

Exit code 0 when nothing was lost or doubled, else 1; 2 for bad input.
"""

import argparse
import os
import random
import sys
from pathlib import Path

from lab.chaos import plan
from lab.chaos.stand import AGENT
from lab.chaos.storm import Storm
from lab.stand.errors import StandError

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.chaos", description="the chaos test")
    parser.add_argument("--seed", type=int, default=None, help="do the same again; default: a new one, printed")
    parser.add_argument(
        "--short", action="store_true", help="a minute and a half, instead of about a quarter of an hour"
    )
    parser.add_argument("--lie", action="store_true", help="drop a block and double one, to prove that both are seen")
    given = parser.parse_args(arguments)
    if not AGENT.exists():
        print(f"{AGENT} missing; run it by make test-chaos", file=sys.stderr)
        return 2
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}: make test-chaos SEED={seed} does the same again", flush=True)
    must: tuple[str, ...] = ()
    if given.lie:
        rounds, at_least = plan.lies(), 2
    elif given.short:
        rounds, at_least, must = plan.short(seed), 5, plan.SHORT_MUST
    else:
        rounds, at_least = plan.plan(seed, rounds=11, load_s=26, faults=6, full_disk=os.geteuid() == 0), 60
    storm = Storm(ROOT / ".tailrace" / "chaos" / str(os.getpid()), seed)
    try:
        return storm.run(rounds, at_least, must)
    except StandError as err:
        print(f"chaos: {err}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
