# SPDX-License-Identifier: Apache-2.0
"""Which fault strikes when, for how long, and which target: a pure function of the random seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

BROKER_KILL = "broker_kill"
BROKER_PAUSE = "broker_pause"
LEADER_MOVE = "leader_move"
CONNECTION_CUT = "connection_cut"
CLIENT_KILL = "client_kill"
CLIENT_PAUSE = "client_pause"

KINDS = {
    BROKER_KILL: "a broker killed (SIGKILL) and started again",
    BROKER_PAUSE: "a broker paused (SIGSTOP), shorter or longer than its session",
    LEADER_MOVE: "all partition leaders moved to other brokers",
    CONNECTION_CUT: "all connections from this host to a broker cut",
    CLIENT_KILL: "a load generator that only consumes killed (SIGKILL)",
    CLIENT_PAUSE: "a load generator that only consumes paused (SIGSTOP), longer than its session",
}
# Seconds that a fault lasts, one of these ranges.
LASTING = {
    BROKER_KILL: ((2.0, 5.0),),
    # A broker's session with its controller is 9 s.
    BROKER_PAUSE: ((2.0, 4.0), (10.0, 12.0)),
    LEADER_MOVE: ((0.0, 0.0),),
    CONNECTION_CUT: ((0.0, 0.0),),
    CLIENT_KILL: ((0.0, 0.0),),
    # The consumers' session is 6 s.
    CLIENT_PAUSE: ((8.0, 10.0),),
}
# Seconds before the next fault: a killed broker starts, a group rebalances.
RECOVERY_S = {BROKER_KILL: 8.0, BROKER_PAUSE: 3.0, LEADER_MOVE: 4.0, CONNECTION_CUT: 2.0, CLIENT_KILL: 8.0}
_USUAL_S = 4.0


@dataclass(frozen=True)
class PlannedFault:
    """``at``: seconds after the measure phase began. ``target``: 0 to 1, a share of the targets that are up."""

    at: float
    kind: str
    seconds: float
    target: float


def plan(seed: int, name: str, kinds: Sequence[str], duration_s: float) -> list[PlannedFault]:
    """The faults of one trial, one after the other. A client is killed once, in the last third."""
    dice = random.Random(f"{seed}/certify/{name}")
    more = [kind for kind in kinds[1:] if kind != CLIENT_KILL]
    dice.shuffle(more)
    cycle = [kind for kind in kinds[:1] if kind != CLIENT_KILL] + more
    planned = []
    if CLIENT_KILL in kinds:
        planned.append(PlannedFault(round(duration_s * dice.uniform(0.66, 0.85), 2), CLIENT_KILL, 0.0, dice.random()))
    at, number = dice.uniform(1, 3), 0
    while cycle:
        kind = cycle[number % len(cycle)]
        seconds = round(dice.uniform(*LASTING[kind][number // len(cycle) % len(LASTING[kind])]), 2)
        if at + seconds > duration_s - 1:
            break
        planned.append(PlannedFault(round(at, 2), kind, seconds, dice.random()))
        at += seconds + RECOVERY_S.get(kind, _USUAL_S) + dice.uniform(0, 2)
        number += 1
    return sorted(planned, key=lambda fault: fault.at)
