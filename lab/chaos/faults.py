# SPDX-License-Identifier: Apache-2.0
"""Injects planned faults. A fault whose target was not running does not count."""

from lab.chaos import plan
from lab.chaos.stand import ChaosStand, kill
from lab.stand.block_proxy import FaultProxy
from lab.stand.waiting import until

PROGRAMS = {plan.KILL_COLLECTOR: "tailrace-collector", plan.KILL_WAREHOUSE: "tailrace-warehouse"}
BROKER = "kafka.Kafka"


def happen(fault: plan.ProxyFault, stand: ChaosStand, proxy: FaultProxy) -> bool:
    """Inject it; returns whether it counts. The proxy's faults count later, when it takes the first block."""
    if fault.kind in PROGRAMS:
        victim = stand.process(PROGRAMS[fault.kind])
        if victim is None:
            return False
        kill(victim)
        return True
    if fault.kind == plan.KILL_BROKER:
        return _kill_broker(stand)
    if fault.kind == plan.RESTART_BROKER:
        return stand.control_broker("restart")
    proxy.arm(fault.kind, fault.blocks, fault.seconds)
    return False


def _kill_broker(stand: ChaosStand) -> bool:
    victim = stand.process(BROKER)
    if victim is None:
        return False
    kill(victim)
    until(lambda: not victim.is_running(), "the broker is gone", 10)

    def started() -> bool:
        # The supervisor needs a moment to see it, and refuses to start what it believes to be running.
        if stand.process(BROKER) is None:
            stand.control_broker("start")
        return stand.process(BROKER) is not None

    until(started, "the broker has been started again", 30)
    return True
