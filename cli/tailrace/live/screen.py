# SPDX-License-Identifier: Apache-2.0
"""The live view of this command's own run: progress is redrawn in place, other lines stay above."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.live import Live

from tailrace.live.panel import EVERY_S, History, panel
from tailrace.live.snapshot import Snapshot, take
from tailrace.metrics.victoriametrics import VictoriaMetrics, VictoriaMetricsError

# Progress lines, which are outdated a second later. A worker's number precedes them if there are several.
PROGRESS = re.compile(r"(\[\d+\] )?(?:starting: |closing: |.*  sent \d+/s  acked )")
# The parts of a single worker's progress line that the table does not show: phase and backlog.
SINGLE = re.compile(r"^([^\[].*?)  sent \d+/s  acked .*?(  backlog \d+)?(?:  unshipped .*)?$")

Say = Callable[[str], None]


@contextmanager
def screen(out: TextIO, run_id: str, url: str, drives: Sequence[tuple[str, str]], say: Say) -> Iterator[Say]:
    """Yields the function that shows a line of the run; ``say`` itself if ``out`` is no terminal."""
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
            # The thread waits for at most one more answer.
            poll.join(timeout=6)


def _poll(view: "View", source: VictoriaMetrics, drives: Sequence[tuple[str, str]], stop: threading.Event) -> None:
    while not stop.wait(EVERY_S):
        try:
            view.show(take(source, view.run_id, drives))
        except VictoriaMetricsError:
            # The run does not depend on VictoriaMetrics; its own progress lines are shown.
            view.show(Snapshot())


class View:
    """The live panel of one run. Its methods may be called from any thread."""

    def __init__(self, run_id: str, console: Console) -> None:
        self.run_id = run_id
        self._history = History()
        self._snapshot = Snapshot()
        self._status: dict[str, str] = {}
        self._lock = threading.Lock()
        self.live = Live(console=console, refresh_per_second=2, transient=True)

    def say(self, line: str) -> None:
        """A progress line replaces the one before; other lines stay above the panel."""
        if match := PROGRESS.match(line):
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
            # The table shows the same numbers over another window, so they are left out here.
            status = [SINGLE.sub(r"\1\2", line) for line in status]
        self.live.update(panel(self.run_id, status, self._snapshot, self._history))
