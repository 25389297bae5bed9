# SPDX-License-Identifier: Apache-2.0
"""python -m lab.faults: see lab/faults/README.md. Exit code 0 when all was scored, 1 when not, 2 for bad input."""

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from lab.faults import kinds, netspace, plan, quiet
from lab.faults.experiments import Call, Experiments
from lab.faults.fault import STRONG, WEAK
from lab.faults.journal import Journal
from lab.faults.lab import Lab, say
from lab.stand.errors import StandError
from tailrace.api import REPO_ROOT, BadInput, TailraceError, published

FOLDER = REPO_ROOT / ".tailrace" / "faults"
EXPERIMENTS = published(REPO_ROOT)
_LET_GO_S = 5.0


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    if given.command == "clean":
        return _clean(given.folder, given.when_stdin_closes)
    # Needed if the lab was started in the background, where Ctrl-C is ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _as_interrupt)
    try:
        return _experiments(given) if given.command == "experiments" else _lab(given)
    except (StandError, TailraceError) as err:
        print(f"{'experiments' if given.command == 'experiments' else 'faults'}: {err}", file=sys.stderr)
        return 2 if isinstance(err.__cause__ or err, BadInput) else 1
    except KeyboardInterrupt:
        return 130


def _lab(given: argparse.Namespace) -> int:
    plans = _plans(given)
    with Journal(given.folder) as journal:
        lab = Lab(journal, plans, quiet.ANY if given.any_noise else quiet.QUIET, given.patience)
        no_network = netspace.enter()
        return lab.again() if given.command == "again" else lab.run(no_network)


def _experiments(given: argparse.Namespace) -> int:
    call = Call(
        folder=given.experiments,
        names=given.names,
        pages=given.pages,
        exports=given.export,
        without_messages=given.without_messages,
        restart=given.restart,
        minutes=given.minutes,
    )
    with Journal(given.folder) as journal:
        return Experiments(journal, call, say).run()


def _plans(given: argparse.Namespace) -> list[plan.RunPlan]:
    """Raises BadInput for an unknown kind, or where no seed is of the split that is asked for."""
    if unknown := [name for name in given.kinds or [] if name not in kinds.ALL]:
        raise BadInput(f"--kinds {','.join(unknown)}: unknown; there are {', '.join(kinds.ALL)}")
    splits = {split for split, asked in ((plan.TUNE, given.tune), (plan.SCORE, given.score)) if asked}
    seeds = [seed for seed in given.seeds if not splits or plan.split_of(seed) in splits]
    if not seeds:
        raise BadInput(f"--seeds {','.join(map(str, given.seeds))}: none of that split; even ones tune")
    if given.short:
        return plan.short(seeds[0])
    chosen = [kinds.ALL[name] for name in given.kinds or kinds.ALL]
    return [
        made
        for seed in seeds
        for made in (*plan.with_faults(seed, chosen, given.seconds, given.strength), *plan.quiet(seed, given.quiet))
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab.faults", description="injects faults and scores tailrace explain"
    )
    parser.add_argument("--folder", type=_folder, default=FOLDER, help="the lab's folder; default: .tailrace/faults")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="make the runs that are not made yet, then score all of them")
    again = commands.add_parser("again", help="only ask explain once more about the runs that are made, and score")
    for command in (run, again):
        _which(command)
    experiments = commands.add_parser("experiments", help="the published experiments' small forms, on the lab's drive")
    experiments.add_argument("names", nargs="*", help="only these; default: all")
    experiments.add_argument(
        "--from", dest="experiments", type=_folder, default=EXPERIMENTS, help="default: experiments"
    )
    experiments.add_argument("--pages", type=_folder, default=None, help="folder for a page of the results so far")
    experiments.add_argument(
        "--export", type=_folder, default=None, help="folder for exports of the runs behind a verdict"
    )
    experiments.add_argument("--without-messages", action="store_true", help="leave messages out of the exports")
    experiments.add_argument("--restart", action="store_true", help="rerun what was already run today")
    experiments.add_argument("--minutes", type=float, default=60, help="stop after this many minutes; default: 60")
    clean = commands.add_parser("clean", help="undo every change that an earlier lab left")
    clean.add_argument("--when-stdin-closes", action="store_true", help=argparse.SUPPRESS)
    return parser


def _which(run: argparse.ArgumentParser) -> None:
    run.add_argument("--kinds", type=lambda text: text.split(","), help="only these, with commas; default: all")
    run.add_argument("--strength", choices=(STRONG, WEAK), default=None, help="only that one; default: both")
    run.add_argument("--seeds", type=_numbers, default=[1, 2, 3, 4], help="default: 1,2,3,4; even ones tune")
    run.add_argument("--short", action="store_true", help="a stopped broker and a slow drive, in under a minute")
    run.add_argument("--tune", action="store_true", help="only seeds that rules may be made with")
    run.add_argument("--score", action="store_true", help="only the other seeds")
    run.add_argument("--quiet", type=int, default=0, metavar="N", help="quiet runs for each seed")
    run.add_argument("--seconds", type=float, default=None, help="how long each fault lasts; default: 8 to 13")
    run.add_argument("--any-noise", action="store_true", help="do not wait for a quiet machine; not for publication")
    run.add_argument("--patience", type=float, default=300, help="seconds to wait for a quiet machine; default 300")


def _clean(folder: Path, wait: bool) -> int:
    if wait:
        sys.stdin.buffer.read()
    deadline = time.monotonic() + (_LET_GO_S if wait else 0)
    while True:
        try:
            with Journal(folder) as journal:
                done, failures = journal.undo_all()
            break
        except StandError as err:
            # A killed lab releases its lock shortly after its pipe closes; a later lab has cleaned up already.
            if time.monotonic() > deadline:
                if not wait:
                    print(f"faults: {err}", file=sys.stderr)
                return 0 if wait else 1
            time.sleep(0.1)
    for failure in failures:
        print(f"faults: {failure}", file=sys.stderr)
    if done or not wait:
        print(f"faults: {done} things undone", file=sys.stderr)
    return 1 if failures else 0


def _folder(text: str) -> Path:
    """Absolute: the kernel names a loop device by the whole path of its file."""
    return Path(text).resolve()


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
