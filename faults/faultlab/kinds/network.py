# SPDX-License-Identifier: Apache-2.0
"""The network between the load generators and the broker: the lab's own loopback, the broker's port alone."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tailrace.stack.broker import broker_answers

from faultlab import system
from faultlab.errors import LabError
from faultlab.fault import STRONG, WEAK, Fault, Kind, Scene, Strength, slower

# Set by the lab: why it has no network of its own, if it has none.
NO_NETWORK = "TAILRACE_FAULTS_NO_NETWORK"
_FAST = "10gbit"
_WAYS = {"1:10": "dport", "1:20": "sport"}


def lacks() -> list[str]:
    """Never the loopback that everybody on the machine uses."""
    found = [f"{name} is not installed" for name in system.has("tc")]
    if reason := os.environ.get(NO_NETWORK):
        found.append(reason)
    return found


def _shape(scene: Scene, strength: Strength) -> Fault:
    """Each way has ``kbit`` a second; with ``queue``, so many bytes wait for it and what is more is dropped."""
    port = str(scene.place.paths.ports["KAFKA_PORT"])

    def answer_ms() -> float:
        began = time.monotonic()
        broker_answers(int(port), timeout_s=5)
        return (time.monotonic() - began) * 1000

    def rate(way: str, verb: str, text: str) -> None:
        system.run("tc", "class", verb, "dev", "lo", "parent", "1:", "classid", way, "htb", "rate", text, "burst", "4k")

    @contextmanager
    def inject() -> Iterator[None]:
        _prepare(port)
        try:
            for way in _WAYS:
                if "queue" in strength:
                    limit = f"{strength['queue']:.0f}"
                    system.run("tc", "qdisc", "add", "dev", "lo", "parent", way, "bfifo", "limit", limit)
                rate(way, "change", f"{strength['kbit']:.0f}kbit")
            yield
        finally:
            # What waits is sent before the queue goes, else it would be lost and sent again.
            for way in _WAYS:
                rate(way, "change", _FAST)
            time.sleep(0.2)
            _remove()

    def _prepare(port: str) -> None:
        # Everything else passes by.
        system.run("tc", "qdisc", "add", "dev", "lo", "root", "handle", "1:", "htb", "default", "0")
        for way, side in _WAYS.items():
            rate(way, "add", _FAST)
            match = ("u32", "match", "ip", side, port, "0xffff", "flowid", way)
            system.run("tc", "filter", "add", "dev", "lo", "parent", "1:", "protocol", "ip", *match)

    return Fault(answer_ms, "ms until the broker's port answers", slower(4, 20), inject)


def _remove() -> None:
    with contextlib.suppress(LabError):
        system.run("tc", "qdisc", "del", "dev", "lo", "root")


KINDS = (
    Kind("network_rate", "network", {STRONG: {"kbit": 500}, WEAK: {"kbit": 900}}, _shape, lacks),
    Kind(
        "network_loss",
        "network",
        {STRONG: {"kbit": 1_200, "queue": 2_500}, WEAK: {"kbit": 2_000, "queue": 2_500}},
        _shape,
        lacks,
    ),
)
