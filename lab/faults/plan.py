# SPDX-License-Identifier: Apache-2.0
"""Which runs there are, and which fault happens when: a pure function of seed and kinds."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lab.faults.fault import Kind
from lab.faults.stand import PLAIN, PROGRAMMABLE

TUNE = "tune"
SCORE = "score"
SPLITS = (TUNE, SCORE)

BASELINE_S = (22.0, 30.0)
FAULT_S = (8.0, 13.0)
RECOVER_S = (13.0, 20.0)
# The most that all waits for quiet may add to a run.
SLACK_S = 40.0
FAULTS_PER_RUN = 6
QUIET_S = 75.0


def split_of(seed: int) -> str:
    """Rules are tuned on even seeds; odd seeds are only for the score."""
    return SCORE if seed % 2 else TUNE


@dataclass(frozen=True)
class Injection:
    """``at``: seconds after the load began, at the earliest; ``seconds``: how long it lasts."""

    kind: str
    strength: str
    at: float
    seconds: float


@dataclass(frozen=True)
class RunPlan:
    """One run; without faults it is a quiet run. ``load_s``: seconds of load in all. ``loud``: noise is allowed.
    ``attempt``: from 1; the rows of an aborted attempt stay beside it."""

    seed: int
    number: int
    drive: str
    workers: int
    load_s: float
    faults: tuple[Injection, ...]
    loud: bool = False
    attempt: int = 1

    @property
    def split(self) -> str:
        return split_of(self.seed)

    @property
    def name(self) -> str:
        """Differs for each plan and reveals nothing about the faults."""
        planned = asdict(self)
        del planned["attempt"]
        text = json.dumps(planned, sort_keys=True)
        return f"lab-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    @property
    def run_id(self) -> str:
        """The run's id, which belongs to this plan and this attempt alone."""
        return self.name if self.attempt == 1 else f"{self.name}-{self.attempt}"


def with_faults(
    seed: int, kinds: Sequence[Kind], seconds: float | None = None, strength: str | None = None
) -> list[RunPlan]:
    """Every strength of every kind once, or that one, in random order. ``seconds``: how long each lasts, instead of at
    random."""
    dice = random.Random(f"faults/{seed}")
    settings: dict[tuple[str, int], list[tuple[Kind, str]]] = {}
    for kind in kinds:
        wanted = [(kind, one) for one in kind.strengths if strength in (None, one)]
        settings.setdefault((kind.drive, kind.workers), []).extend(wanted)
    runs: list[RunPlan] = []
    for (drive, workers), asked in sorted(settings.items(), key=lambda item: item[0]):
        dice.shuffle(asked)
        for first in range(0, len(asked), FAULTS_PER_RUN):
            faults, end = _times(dice, asked[first : first + FAULTS_PER_RUN], seconds)
            runs.append(RunPlan(seed, len(runs), drive, workers, end + SLACK_S, faults))
    return runs


def _times(
    dice: random.Random, wanted: Sequence[tuple[Kind, str]], seconds: float | None
) -> tuple[tuple[Injection, ...], float]:
    now = dice.uniform(*BASELINE_S)
    faults = []
    for kind, strength in wanted:
        lasting = kind.strengths[strength].get("seconds") or seconds or dice.uniform(*FAULT_S)
        faults.append(Injection(kind.name, strength, round(now, 2), round(lasting, 2)))
        now += kind.lead_s + lasting + dice.uniform(*RECOVER_S)
    return tuple(faults), round(now, 1)


def short(seed: int) -> list[RunPlan]:
    """Under a minute: the broker stops, then its drive is slow."""
    faults = (Injection("broker_stop", "strong", 10, 3), Injection("drive_iops", "strong", 20, 6))
    return [RunPlan(seed, 0, PLAIN, 1, 32, faults)]


def quiet(seed: int, count: int, drives: Sequence[str] = (PLAIN, PROGRAMMABLE)) -> list[RunPlan]:
    """Runs without any injection."""
    return [RunPlan(seed, 1000 + number, drives[number % len(drives)], 1, QUIET_S, ()) for number in range(count)]
