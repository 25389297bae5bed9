# SPDX-License-Identifier: Apache-2.0
"""The live view of a run that this command conducts: progress in place, everything else above."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.live import Live

from tailrace.live.picture import EVERY_S, History, picture
from tailrace.live.snapshot import Snapshot, take
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError

# Lines that are out of date a second later, after the worker's number where there are several.
PASSING = re.compile(r"(\[\d+\] )?(?:starting: |closing: |.*  sent \d+/s  acked )")
# Of the only worker: its phase, and the backlog, which the table has not.
ALONE = re.compile(r"^([^\[].*?)  sent \d+/s  acked .*?(  backlog \d+)?(?:  unshipped .*)?$")

Say = Callable[[str], None]


@contextmanager
def screen(out: TextIO, run_id: str, url: str, drives: Sequence[tuple[str, str]], say: Say) -> Iterator[Say]:
    """What says a line of the run: ``say`` itself where ``out`` is no terminal."""
    console = Console(file=out, markup=False, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield say
        return
    view = View(run_id, console)
    stop = threading.Event()
    poll = threading.Thread(target=_poll, args=(view, VictoriaMetrics(url, timeout_s=5), drives, stop), daemon=True)
    with view.live:
        poll.start()
        try:
            yield view.say
        finally:
            stop.set()
            # It waits for one answer at most; the view below is gone by then.
            poll.join(timeout=6)


def _poll(view: "View", source: VictoriaMetrics, drives: Sequence[tuple[str, str]], stop: threading.Event) -> None:
    while not stop.wait(EVERY_S):
        try:
            view.show(take(source, view.run_id, drives))
        except VictoriaMetricsError:
            # The run does not depend on it; what it says of itself is shown.
            view.show(Snapshot())


class View:
    """The picture of one run. Its methods may be called from any thread."""

    def __init__(self, run_id: str, console: Console) -> None:
        self.run_id = run_id
        self._history = History()
        self._snapshot = Snapshot()
        self._status: dict[str, str] = {}
        self._lock = threading.Lock()
        self.live = Live(console=console, refresh_per_second=2, transient=True)

    def say(self, line: str) -> None:
        """A passing line takes the place of the one before it; others stay, above the picture."""
        if match := PASSING.match(line):
            with self._lock:
                self._status[match[1] or ""] = line
                self._draw()
        else:
            self.live.console.print(line)

    def show(self, snapshot: Snapshot) -> None:
        """Draw newer numbers."""
        with self._lock:
            self._snapshot = snapshot
            self._history.add(snapshot)
            self._draw()

    def _draw(self) -> None:
        status = [self._status[worker] for worker in sorted(self._status)]
        if not self._snapshot.empty:
            # The table says the rest, of another window: two numbers for one thing only puzzle.
            status = [ALONE.sub(r"\1\2", line) for line in status]
        self.live.update(picture(self.run_id, status, self._snapshot, self._history))
