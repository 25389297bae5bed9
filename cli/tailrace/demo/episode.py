# SPDX-License-Identifier: Apache-2.0
"""The demo's episode: in the middle of the measure phase a neighbour uses the broker's drive for ten seconds."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from clickhouse_connect.driver.exceptions import ClickHouseError

from tailrace.errors import TailraceError
from tailrace.marks.reading import Mark
from tailrace.runs.process import STOPPING
from tailrace.stack.api import MARK, StackPaths

SECONDS = 10
TEXT = "the demo's neighbour writes and syncs on the broker's drive"
_MEASURE = re.compile(r"measure (\d+):(\d+)/")

Say = Callable[[str], None]


class Episode:
    """Follows a run by its progress lines. A ``with`` block ends the neighbour, whatever happens.

    ``mark`` stores a mark in the run. ``happened`` is that mark, None until the neighbour has ended as planned.
    """

    def __init__(self, paths: StackPaths, folder: Path, drive: str, at_s: int, mark: Callable[[Mark], None]) -> None:
        self._env = os.environ | {MARK: str(paths.state)}
        self._folder = folder
        self._drive = drive
        self._at_s = at_s
        self._mark = mark
        self._process: subprocess.Popen[str] | None = None
        self._over = False
        self.happened: Mark | None = None

    def __enter__(self) -> "Episode":
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def around(self, show: Say) -> Say:
        """``show``, and the episode at its time."""

        def heard(line: str) -> None:
            show(line)
            if not self._over:
                self._heard(line, show)

        return heard

    def stop(self) -> None:
        """End the neighbour now."""
        self._over = True
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.communicate()

    def _heard(self, line: str, show: Say) -> None:
        if line.startswith(STOPPING):
            self.stop()
        elif self._process is None:
            match = _MEASURE.match(line)
            if match and 60 * int(match[1]) + int(match[2]) >= self._at_s:
                self._start(show)
        elif self._process.poll() is not None:
            self._end(self._process, show)

    def _start(self, show: Say) -> None:
        show(
            f"for {SECONDS} s a neighbour writes and syncs on the broker's drive{self._drive}: watch p99 rise here,"
            " and later in the report with the drive's latency below it (--quiet leaves this out)"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tailrace.demo.neighbour", str(self._folder), str(SECONDS)],
            # Never written to: it ends when this command does.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self._env,
        )

    def _end(self, process: "subprocess.Popen[str]", show: Say) -> None:
        self._over = True
        printed, errors = process.communicate()
        if process.returncode:
            reason = (errors.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
            show(f"the neighbour ended early, so the episode may be missing: {reason}")
            return
        began, ended, written = map(float, printed.split())
        show(f"the neighbour has ended; it wrote {written / 1e9:,.1f} GB")
        self.happened = Mark(began, ended, "fault", TEXT)
        try:
            self._mark(self.happened)
        except (TailraceError, ClickHouseError) as err:
            show(f"the run has no mark of it: {err}")
