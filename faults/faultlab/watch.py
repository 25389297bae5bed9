# SPDX-License-Identifier: Apache-2.0
"""Whether the machine stayed quiet: the CPU time that others took from it, second by second, while a run went on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import psutil

# A hypervisor takes CPU for a moment all the time; for so many seconds in a row nobody overlooks it.
WINDOW_S = 3


class Watch:
    """``with Watch() as watch: …``, then ``watch.worst``."""

    def __init__(self) -> None:
        self.shares: list[float] = []
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
        while not self._stop.wait(1):
            now = psutil.cpu_times()
            passed = sum(now) - sum(before)
            taken = getattr(now, "steal", 0.0) - getattr(before, "steal", 0.0)
            self.shares.append(taken / passed if passed > 0 else 0.0)
            before = now

    @property
    def worst(self) -> float:
        return worst(self.shares)


def worst(shares: Sequence[float]) -> float:
    """The greatest mean share of WINDOW_S seconds in a row; of fewer seconds their mean, of none 0."""
    if len(shares) < WINDOW_S:
        return sum(shares) / len(shares) if shares else 0.0
    windows = (shares[n : n + WINDOW_S] for n in range(len(shares) - WINDOW_S + 1))
    return max(sum(window) / WINDOW_S for window in windows)
