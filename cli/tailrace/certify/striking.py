# SPDX-License-Identifier: Apache-2.0
"""Strikes planned faults while a run's measure phase goes on, each marked in the run."""

import re
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace.certify.faults import PlannedFault
from tailrace.certify.targets import Targets
from tailrace.errors import TailraceError
from tailrace.marks.reading import Mark
from tailrace.runs.process import STOPPING

_MEASURE = re.compile(r"(\[\d+\] )?measure ")
# A line of any phase after it.
_LATER = re.compile(r"(\[\d+\] )?(last sends|drain|cooldown|closing)\b")
_INTERRUPT = re.compile(rf"(\[\d+\] )?{STOPPING}")
# A fault that is this late, behind one that overran, gives way to kinds that have not struck yet.
_LATE_S = 5.0

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

    ``kinds``: those that the claim declares. ``broke``: the error that ended the faults early; empty for
    none.
    """

    def __init__(
        self,
        planned: Sequence[PlannedFault],
        kinds: Sequence[str],
        targets: Targets,
        mark: Callable[[Mark], None],
        say: Say,
    ) -> None:
        self.struck: list[Struck] = []
        self.broke = ""
        self._planned = planned
        self._targets = targets
        self._mark = mark
        self._say = say
        # By kind, why one did not strike; a kind that struck at another time is not missed.
        self._reasons = {kind: targets.not_possible(kind) for kind in kinds}
        self._over = threading.Event()
        self._interrupted = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def missed(self) -> dict[str, str]:
        """By kind that never struck, why."""
        unknown = self.broke or ("the load was too short for it" if self._thread else "the load did not begin")
        struck = {each.kind for each in self.struck}
        return {kind: why or unknown for kind, why in self._reasons.items() if kind not in struck}

    def __enter__(self) -> "Striker":
        return self

    def __exit__(self, error: type[BaseException] | None, *_more: object) -> None:
        if error is KeyboardInterrupt:
            self._interrupted.set()
        self.stop()

    def around(self, show: Say) -> Say:
        """``show``, and the faults from the first line of the measure phase to the first one after it."""

        def heard(line: str) -> None:
            show(line)
            if _INTERRUPT.match(line):
                self._interrupted.set()
                self._over.set()
            elif _LATER.match(line):
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
        for number, fault in enumerate(self._planned):
            if self._gives_way(fault, number, time.monotonic() - began):
                continue
            self._wait(began + fault.at - time.monotonic())
            if self._over.is_set():
                ended = "the certificate was interrupted" if self._interrupted.is_set() else "the load had ended"
                self._reasons[fault.kind] = self._reasons.get(fault.kind) or ended
                continue
            try:
                self._strike(fault)
            except Exception as err:  # any error: this thread has no caller, so the line states it
                traceback.print_exc()
                later = len(self._planned) - number - 1
                self.broke = f"the faults ended at {fault.kind}: {type(err).__name__}: {err}; {later} later not made"
                self._say(self.broke)
                return

    def _gives_way(self, fault: PlannedFault, number: int, now: float) -> bool:
        struck = {each.kind for each in self.struck}
        waiting = {each.kind for each in self._planned[number + 1 :]} - struck
        return fault.kind in struck and bool(waiting) and now > fault.at + _LATE_S

    def _strike(self, fault: PlannedFault) -> None:
        start = time.time()
        try:
            text = self._targets.strike(fault, self._wait, self._interrupted.is_set)
        except TailraceError as err:
            self._reasons[fault.kind] = str(err)
            self._say(f"fault {fault.kind}: {err}")
            return
        if not text:
            self._reasons[fault.kind] = "its target was not up"
            return
        found = Struck(fault.kind, text, start, time.time())
        self.struck.append(found)
        self._say(f"fault: {text}")
        try:
            self._mark(Mark(found.start, found.end, "fault", text))
        except (TailraceError, ClickHouseError) as err:
            self._say(f"the run has no mark of it: {err}")

    def _wait(self, seconds: float) -> None:
        """Sleep, at the most until the faults are over."""
        self._over.wait(max(0.0, seconds))
