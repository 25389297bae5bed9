# SPDX-License-Identifier: Apache-2.0
"""Which fault strikes when, for how long, and which target: a pure function of the random seed."""

import math
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
# Seconds that undoing a fault takes beyond these: a broker starts in 13 to 25 s beside two others on two cores, and an
# admin client is a JVM that starts.
TAKES_S = {BROKER_KILL: 20.0, LEADER_MOVE: 4.0, CONNECTION_CUT: 1.0}
# Seconds before the next fault: a broker that is back catches up, a group rebalances.
RECOVERY_S = {BROKER_KILL: 4.0, BROKER_PAUSE: 3.0, LEADER_MOVE: 2.0, CONNECTION_CUT: 2.0, CLIENT_KILL: 6.0}
_USUAL_S = 4.0
# Before the first fault, between two, and after the last one.
_FIRST_S, _GAP_S, _REST_S = (1.0, 3.0), (0.0, 1.0), 1.0
# Where a client is killed: consumers that were killed are not replaced.
_LATE = 0.66


@dataclass(frozen=True)
class PlannedFault:
    """``at``: seconds after the measure phase began. ``target``: 0 to 1, a share of the targets that are up."""

    at: float
    kind: str
    seconds: float
    target: float


def plan(seed: int, name: str, kinds: Sequence[str], duration_s: float) -> list[PlannedFault]:
    """The faults of one trial, one after the other, in the times that they really take: in ``least_s`` each kind once.

    The first kind strikes first. A client is killed once, after each other kind has struck and in the last third.
    """
    dice = random.Random(f"{seed}/certify/{name}")
    more = [kind for kind in kinds[1:] if kind != CLIENT_KILL]
    dice.shuffle(more)
    cycle = [kind for kind in kinds[:1] if kind != CLIENT_KILL] + more
    # Room for the client that is killed, while it has not been.
    reserved = _slot_s(CLIENT_KILL, 0.0) + _GAP_S[1] if CLIENT_KILL in kinds else 0.0
    planned: list[PlannedFault] = []
    at, number = dice.uniform(*_FIRST_S), 0
    while True:
        kind = cycle[number % len(cycle)] if cycle else ""
        seconds = round(dice.uniform(*LASTING[kind][number // len(cycle) % len(LASTING[kind])]), 2) if kind else 0.0
        fits = bool(kind) and at + seconds + TAKES_S.get(kind, 0.0) + reserved <= duration_s - _REST_S
        if reserved and number >= len(cycle) and (at >= duration_s * _LATE or not fits):
            kind, seconds, reserved = CLIENT_KILL, 0.0, 0.0
            at = max(at, duration_s * _LATE)
        elif fits:
            number += 1
        else:
            return planned
        planned.append(PlannedFault(round(at, 2), kind, seconds, dice.random()))
        at += _slot_s(kind, seconds) + dice.uniform(*_GAP_S)


def least_s(kinds: Sequence[str]) -> int:
    """The shortest load in which a plan has each of these kinds, whatever the seed."""
    slots = (_slot_s(kind, LASTING[kind][0][1]) + _GAP_S[1] for kind in kinds)
    return math.ceil(_FIRST_S[1] + sum(slots) + _REST_S)


def _slot_s(kind: str, seconds: float) -> float:
    return seconds + TAKES_S.get(kind, 0.0) + RECOVERY_S.get(kind, _USUAL_S)
