# SPDX-License-Identifier: Apache-2.0
"""Which fault happens when: a pure function of the random seed."""

import random
from dataclasses import dataclass

from lab.stand.block_proxy import FAULTS, LIES

# How a run ends, and how its unshipped blocks are shipped.
IN_ORDER = "in order"
KILLED_THEN_SHIP = "killed, then ship"
KILLED_THEN_NEXT = "killed, then the next run"
KILLED_SHIP_KILLED = "killed, ship killed too, then ship"
TERMINATED = "all terminated"
DISK_FULL = "disk full"
DISK_FULL_KILLED = "disk full, killed, then ship"
ON_SMALL_DISK = (DISK_FULL, DISK_FULL_KILLED)
ENDS = (KILLED_THEN_SHIP, TERMINATED, KILLED_THEN_NEXT, IN_ORDER, KILLED_SHIP_KILLED, KILLED_THEN_NEXT)
# Its consumers end before they have read to the end.

KILL_COLLECTOR = "kill collector"
KILL_WAREHOUSE = "kill warehouse"
KILL_BROKER = "kill broker"
RESTART_BROKER = "restart broker"
TERMINATE_ALL = "terminate all"
KILL_LOAD_GENERATOR = "kill load generator"
# A run survives one death of its broker; the other faults come more often.
_MANY = (KILL_COLLECTOR, KILL_WAREHOUSE, *FAULTS)
_MAY_HANG_S = 22.0
KILLS_A_ROUND = 6


@dataclass(frozen=True)
class ProxyFault:
    """``at``: seconds after the load began. ``blocks`` and ``seconds`` are the proxy's."""

    at: float
    kind: str
    blocks: int = 1
    seconds: float = 0


@dataclass(frozen=True)
class PlannedRound:
    """One run of the load generator. ``load_s``: seconds of load; ``end_at``: when it is ended before that;
    ``rate``: messages a second."""

    number: int
    load_s: int
    end: str
    end_at: float
    faults: tuple[ProxyFault, ...]
    rate: int = 50_000
    partitions: int = 16
    producers: int = 2


def plan(seed: int, rounds: int, load_s: int, faults: int, *, full_disk: bool) -> list[PlannedRound]:
    """``rounds`` rounds of ``faults`` faults each, their ends not counted, and two more with a full disk."""
    made = [_round(random.Random(f"{seed}/{number}"), number, load_s, faults) for number in range(rounds)]
    if full_disk:
        away = (ProxyFault(3, "unavailable", 10**9),)
        # Many partitions and producers: rows that compress badly fill the memory sooner.
        made.append(PlannedRound(rounds, 120, DISK_FULL, 0, away, partitions=128, producers=16))
        made.append(PlannedRound(rounds + 1, 40, DISK_FULL_KILLED, 30, away, partitions=128, producers=16))
    return made


def short(seed: int) -> list[PlannedRound]:
    """Two rounds: the broker restarts and everything is terminated; the load generator is killed."""
    dice = random.Random(f"{seed}/short")
    # The broker first: later faults happen during its absence or after it, depending on the seed.
    restart = ProxyFault(round(dice.uniform(1, 3), 2), RESTART_BROKER)
    return [
        _round(dice, 0, 12, 2, end=TERMINATED, first=restart),
        _round(dice, 1, 8, 2, end=KILLED_THEN_SHIP, first=ProxyFault(1, KILL_COLLECTOR)),
    ]


def kills(seed: int, batch: int, count: int) -> list[PlannedRound]:
    """About ``count`` kills, at most a round of each end, in ``KILLS_A_ROUND`` or a few more kills a round."""
    dice = random.Random(f"{seed}/kills/{batch}")
    rounds = min(len(ENDS), -(-count // KILLS_A_ROUND))
    made = []
    for number in range(rounds):
        broker = ProxyFault(round(dice.uniform(1, 12), 2), KILL_BROKER)
        end = ENDS[(batch * len(ENDS) + number) % len(ENDS)]
        made.append(_round(dice, number, 26, KILLS_A_ROUND - 1, end, broker, (KILL_COLLECTOR, KILL_WAREHOUSE)))
    return made


# The faults that the short form must contain for every seed.
SHORT_MUST = (RESTART_BROKER, KILL_COLLECTOR, TERMINATE_ALL, KILL_LOAD_GENERATOR)


def lies() -> list[PlannedRound]:
    """A small calm run with one block dropped and one doubled."""
    return [PlannedRound(0, 5, IN_ORDER, 0, tuple(ProxyFault(1, lie) for lie in LIES), rate=5_000)]


def _round(
    dice: random.Random,
    number: int,
    load_s: int,
    count: int,
    end: str = "",
    first: ProxyFault | None = None,
    many: tuple[str, ...] = _MANY,
) -> PlannedRound:
    """``end``: other than its number's. ``first``: one more fault, and then only it befalls the broker; ``many``: the
    kinds of the others."""
    end = end or ENDS[number % len(ENDS)]
    end_at = round(dice.uniform(0.6, 0.95) * load_s, 2)
    last = load_s if end == IN_ORDER else end_at
    times = sorted(round(dice.uniform(0.5, last - 0.5), 2) for _ in range(count))
    kinds = [dice.choice(many) for _ in range(count)]
    if first is None and dice.random() < 0.5:
        kinds[dice.randrange(count)] = dice.choice((KILL_BROKER, RESTART_BROKER))
    made = [_fault(dice, at, kind) for at, kind in zip(times, kinds, strict=True)]
    if first is not None:
        made = sorted([first, *made], key=lambda fault: fault.at)
    return PlannedRound(number, load_s, end, end_at, tuple(made))


def _fault(dice: random.Random, at: float, kind: str) -> ProxyFault:
    blocks = dice.randint(1, 4)
    if kind.startswith("hang"):
        # Some last longer than the collector's timeout of 20 s.
        return ProxyFault(at, kind, 1, round(dice.choice((2.0, 5.0, _MAY_HANG_S)) * dice.uniform(0.5, 1), 2))
    return ProxyFault(at, kind, blocks)
