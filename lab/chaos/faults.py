# SPDX-License-Identifier: Apache-2.0
"""Makes a planned fault happen. Returns False where its victim was not there: then it does not count."""

from __future__ import annotations

from lab.chaos import plan
from lab.chaos.place import Place, kill, until
from lab.chaos.proxy import FaultProxy

PROGRAMS = {plan.KILL_COLLECTOR: "tailrace-collector", plan.KILL_WAREHOUSE: "tailrace-warehouse"}
BROKER = "kafka.Kafka"


def happen(fault: plan.Fault, place: Place, proxy: FaultProxy) -> bool:
    """Faults of the proxy count when it takes the first block, so not here."""
    if fault.kind in PROGRAMS:
        victim = place.process(PROGRAMS[fault.kind])
        if victim is None:
            return False
        kill(victim)
        return True
    if fault.kind == plan.KILL_BROKER:
        return _kill_broker(place)
    if fault.kind == plan.RESTART_BROKER:
        return place.broker("restart")
    proxy.arm(fault.kind, fault.blocks, fault.seconds)
    return False


def _kill_broker(place: Place) -> bool:
    victim = place.process(BROKER)
    if victim is None:
        return False
    kill(victim)
    until(lambda: not victim.is_running(), "the broker is gone", 10)

    def started() -> bool:
        # The supervisor needs a moment to see it, and refuses to start what it believes to be running.
        if place.process(BROKER) is None:
            place.broker("start")
        return place.process(BROKER) is not None

    until(started, "the broker has been started again", 30)
    return True
