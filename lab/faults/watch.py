# SPDX-License-Identifier: Apache-2.0
"""Whether the machine stayed quiet while a run went on: the CPU time that others took from it, and how late a sleep of
the lab ended, second by second. A hypervisor that stops a whole CPU need not count that as stolen."""

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import psutil

# A hypervisor often takes CPU for a moment; over this many seconds in a row it matters.
WINDOW_S = 3
_SLEEP_S = 0.01


class Watch:
    """``with Watch() as watch: …``, then ``watch.noise()``."""

    def __init__(self) -> None:
        self._shares: list[float] = []
        self._lates: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        before = psutil.cpu_times()
        while not self._stop.is_set():
            late = self._second()
            now = psutil.cpu_times()
            passed = sum(now) - sum(before)
            taken = getattr(now, "steal", 0.0) - getattr(before, "steal", 0.0)
            self._shares.append(taken / passed if passed > 0 else 0.0)
            self._lates.append(1000 * late)
            before = now

    def _second(self) -> float:
        """How late the latest of a second's sleeps ended, s."""
        late, end = 0.0, time.monotonic() + 1
        while (began := time.monotonic()) < end and not self._stop.is_set():
            self._stop.wait(_SLEEP_S)
            late = max(late, time.monotonic() - began - _SLEEP_S)
        return late

    def noise(self) -> dict[str, float]:
        """By the names of their limits, the worst WINDOW_S seconds in a row."""
        return {"steal_during": worst(self._shares), "late_during_ms": worst(self._lates)}


def worst(values: Sequence[float]) -> float:
    """The greatest mean of WINDOW_S seconds in a row; of fewer seconds their mean, of none 0."""
    if len(values) < WINDOW_S:
        return sum(values) / len(values) if values else 0.0
    windows = (values[n : n + WINDOW_S] for n in range(len(values) - WINDOW_S + 1))
    return max(sum(window) / WINDOW_S for window in windows)
