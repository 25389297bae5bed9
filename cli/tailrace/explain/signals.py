# SPDX-License-Identifier: Apache-2.0
"""What the ranking says of one episode's signals, as the rules see it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
# Beside these, a signal of which less than this share of an episode was measured is not known.
LEAST_KNOWN = 0.3
# What a stopped program leaves behind is one sample afterwards.
SPARSE = ("loader_",)
NO_BROKER = -1


@dataclass(frozen=True)
class Broker:
    """A broker with the host and drive it is measured by; ``device`` is empty when unknown."""

    id: int
    host: str
    device: str


@dataclass(frozen=True)
class Signal:
    """One row of ``signal_ranking``."""

    name: str
    unit: str
    host: str
    device: str
    broker: int
    before: float
    during: float
    peak: float
    quiet_peak: float
    z: float
    onset_s: int | None
    rho: float | None
    score: float

    @property
    def rise(self) -> float:
        return self.during - self.before


def parse(rows: Iterable[Row], seconds: int) -> list[Signal]:
    """Signals of an episode of so many seconds, without those that were hardly measured in it."""
    signals = []
    for row in rows:
        name = row["signal"]
        if row["seconds"] < LEAST_KNOWN * seconds and not name.startswith(SPARSE):
            continue
        signals.append(
            Signal(
                name,
                row["unit"],
                row["host"],
                row["device"],
                row["broker"],
                *(row[key] for key in ("before", "during", "peak", "quiet_peak", "z")),
                row["onset_s"],
                row["rho"],
                row["score"],
            )
        )
    return signals


class View:
    """The signals that concern one broker and one of its drives: name → the most telling."""

    def __init__(self, signals: Iterable[Signal], broker: Broker, rise_ms: float) -> None:
        self.broker = broker
        self.rise_ms = rise_ms
        self._signals: dict[str, Signal] = {}
        for signal in signals:
            if self._concerns(signal):
                known = self._signals.get(signal.name)
                if known is None or known.score < signal.score:
                    self._signals[signal.name] = signal

    def _concerns(self, signal: Signal) -> bool:
        if signal.host not in ("", self.broker.host):
            return False
        if signal.broker not in (NO_BROKER, self.broker.id):
            return False
        of_drive = signal.name.startswith(("drive_", "request_", "other_requests"))
        return not of_drive or not self.broker.device or signal.device == self.broker.device

    def get(self, name: str) -> Signal | None:
        """None when it was not measured."""
        return self._signals.get(name)
