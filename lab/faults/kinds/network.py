# SPDX-License-Identifier: Apache-2.0
"""The network between the load generators and the broker: the lab's own loopback, the broker's port alone."""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lab.faults import system
from lab.faults.fault import Fault, Kind, Scene, Strength, higher, levels, slower
from lab.stand.errors import StandError
from tailrace.api import broker_answers

# Set by the lab: why it has no separate network, if it has none.
NO_NETWORK = "TAILRACE_FAULTS_NO_NETWORK"
_FAST = "10gbit"
# A class for each way, by the side on which the broker's port is.
_WAYS = {"1:10": "dport", "1:20": "sport"}
_HOLE = "1:30"


def missing() -> list[str]:
    """Never the loopback that everybody on the machine uses."""
    found = [f"{name} is not installed" for name in system.has("tc")]
    if reason := os.environ.get(NO_NETWORK):
        found.append(reason)
    return found


def _rate(scene: Scene, strength: Strength) -> Fault:
    """Each way has ``kbit`` thousand bits a second, and whatever is more waits."""
    port = scene.stand.paths.ports["KAFKA_PORT"]

    def answer_ms() -> float:
        began = time.monotonic()
        broker_answers(port, timeout_s=5)
        return (time.monotonic() - began) * 1000

    @contextmanager
    def inject() -> Iterator[None]:
        with _queues():
            for way, side in _WAYS.items():
                _class(way, "add", f"{strength['kbit']:.0f}kbit")
                _filter("u32", "match", "ip", side, str(port), "0xffff", "flowid", way)
            try:
                yield
            finally:
                # What waits is sent before the queue goes, else it would be lost and sent again.
                for way in _WAYS:
                    _class(way, "change", _FAST)
                time.sleep(0.2)

    return Fault(answer_ms, "ms until the broker's port answers", slower(4, 20), inject)


def _loss(scene: Scene, strength: Strength) -> Fault:
    """That ``share`` of the packets, both ways, is led into a class whose queue takes nothing."""
    port = scene.stand.paths.ports["KAFKA_PORT"]

    @contextmanager
    def inject() -> Iterator[None]:
        with _queues():
            _class(_HOLE, "add", "8kbit")
            _tc("qdisc", "add", "dev", "lo", "parent", _HOLE, "bfifo", "limit", "1")
            _filter("bpf", "bytecode", _bytecode(port, strength["share"]), "flowid", _HOLE)
            yield

    return Fault(_dropped, "packets dropped", higher(3), inject)


def _bytecode(port: int, share: float) -> str:
    """Classic BPF: TCP over IPv4 with that port on either side, and a random number below the share."""
    lines = [
        "40 0 0 12",  # type of the frame
        f"21 0 8 {0x800}",
        "48 0 0 23",  # protocol
        "21 0 6 6",
        "40 0 0 34",  # source port
        f"21 2 0 {port}",
        "40 0 0 36",  # destination port
        f"21 0 2 {port}",
        f"32 0 0 {2**32 - 0x1000 + 56}",  # a random number
        f"37 0 1 {int(share * 2**32)}",
        "6 0 0 0",  # no match
        f"6 0 0 {0x10030}",
    ]
    return f"{len(lines)}," + ",".join(lines)


def _dropped() -> float:
    found = re.search(rf"class htb {_HOLE} .*?dropped (\d+)", _tc("-s", "class", "show", "dev", "lo"), re.S)
    return float(found[1]) if found else 0.0


@contextmanager
def _queues() -> Iterator[None]:
    """What no filter takes passes by."""
    _tc("qdisc", "add", "dev", "lo", "root", "handle", "1:", "htb", "default", "0")
    try:
        yield
    finally:
        with contextlib.suppress(StandError):
            _tc("qdisc", "del", "dev", "lo", "root")


def _class(name: str, verb: str, rate: str) -> None:
    _tc("class", verb, "dev", "lo", "parent", "1:", "classid", name, "htb", "rate", rate, "burst", "4k")


def _filter(*words: str) -> None:
    _tc("filter", "add", "dev", "lo", "parent", "1:", "protocol", "ip", *words)


def _tc(*words: str) -> str:
    return system.run("tc", *words)


KINDS = (
    Kind("network_rate", "network", levels(kbit=(500, 900)), _rate, missing=missing),
    Kind("network_loss", "network", levels(share=(0.2, 0.06)), _loss, missing=missing),
)
