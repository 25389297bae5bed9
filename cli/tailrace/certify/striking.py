# SPDX-License-Identifier: Apache-2.0
"""Strikes planned faults while a run's measure phase goes on, each marked in the run."""

import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace.certify.faults import PlannedFault
from tailrace.certify.targets import Targets
from tailrace.errors import TailraceError
from tailrace.marks.reading import Mark

_MEASURE = re.compile(r"(\[\d+\] )?measure ")
# A line of any phase after it.
_LATER = re.compile(r"(\[\d+\] )?(last sends|drain|cooldown|closing)\b")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Struck:
    """A fault whose target was up. Times are seconds since 1970."""

    kind: str
    text: str
    start: float
    end: float


class Striker:
    """Follows a run by its progress lines. A ``with`` block ends the faults, and what they did is undone by then.

    ``missed``: by kind, why planned faults did not strike. ``possible``: whether one could be made from here.
    """

    def __init__(
        self, planned: Sequence[PlannedFault], targets: Targets, mark: Callable[[Mark], None], say: Say
    ) -> None:
        self.struck: list[Struck] = []
        self.missed: dict[str, str] = {}
        self.possible = False
        self._planned = planned
        self._targets = targets
        self._mark = mark
        self._say = say
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "Striker":
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def around(self, show: Say) -> Say:
        """``show``, and the faults from the first line of the measure phase to the first one after it."""

        def heard(line: str) -> None:
            show(line)
            if _LATER.match(line):
                self._over.set()
            elif self._thread is None and not self._over.is_set() and _MEASURE.match(line):
                self._thread = threading.Thread(target=self._strike_all, name="faults")
                self._thread.start()

        return heard

    def stop(self) -> None:
        """No more faults; returns once the last one is undone."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _strike_all(self) -> None:
        began = time.monotonic()
        for fault in self._planned:
            if reason := self._targets.not_possible(fault.kind):
                self.missed[fault.kind] = reason
                continue
            self.possible = True
            self._over.wait(max(0.0, began + fault.at - time.monotonic()))
            if self._over.is_set():
                self.missed.setdefault(fault.kind, "the load had ended")
                continue
            self._strike(fault)
        for struck in self.struck:
            self.missed.pop(struck.kind, None)

    def _strike(self, fault: PlannedFault) -> None:
        start = time.time()
        try:
            text = self._targets.strike(fault, lambda seconds: void(self._over.wait(seconds)))
        except TailraceError as err:
            self.missed[fault.kind] = str(err)
            self._say(f"fault {fault.kind}: {err}")
            return
        if not text:
            self.missed.setdefault(fault.kind, "its target was not up")
            return
        found = Struck(fault.kind, text, start, time.time())
        self.struck.append(found)
        self._say(f"fault: {text}")
        try:
            self._mark(Mark(found.start, found.end, "fault", text))
        except (TailraceError, ClickHouseError) as err:
            self._say(f"the run has no mark of it: {err}")


def void(_value: object) -> None:
    """Discards a value."""
