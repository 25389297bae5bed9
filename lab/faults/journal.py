# SPDX-License-Identifier: Apache-2.0
"""How to undo each change, written to a file before the change: however the lab ends, the machine is restored. The file
need not survive a restart of the machine: neither do the changes.

One line of JSON each: ``{"n": 3, "undo": ["unmount", "/…"]}`` before a change, ``{"n": 3}`` once it is undone. The
newest change is undone first.
"""

import contextlib
import fcntl
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from lab.faults.undo import VERBS
from lab.stand.errors import StandError


class Journal:
    """The journal of one lab folder. Only one process holds it at a time; a ``with`` block releases it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.file = folder / "undo.jsonl"
        self._lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            self._lock.close()
            raise StandError(f"{folder}: another fault lab uses this folder; wait until it ends") from err
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._lock.close()
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait(60)

    def guard(self) -> None:
        """Start a process that undoes all when this one ends, even by SIGKILL, because its pipe closes then."""
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "lab.faults", "--folder", str(self.folder), "clean", "--when-stdin-closes"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def open_entries(self) -> dict[int, list[str]]:
        """Open entries by number. A last line that is cut off belongs to no change."""
        entries: dict[int, list[str]] = {}
        if self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(json.JSONDecodeError):
                    entry = json.loads(line)
                    if "undo" in entry:
                        entries[entry["n"]] = entry["undo"]
                    else:
                        entries.pop(entry["n"], None)
        return entries

    def record(self, verb: str, *arguments: str) -> int:
        """Record how to undo a change that is about to be made; returns the number for ``undo``."""
        number = max(self.open_entries(), default=0) + 1
        self._write({"n": number, "undo": [verb, *arguments]})
        return number

    def undo(self, number: int) -> None:
        """Undo one entry. Raises StandError when that fails; the entry then stays."""
        verb, *arguments = self.open_entries()[number]
        VERBS[verb](*arguments)
        self._write({"n": number})

    @contextlib.contextmanager
    def undo_at_end(self, verb: str, *arguments: str) -> Iterator[None]:
        """Record it now and undo it at the end of the block."""
        number = self.record(verb, *arguments)
        try:
            yield
        finally:
            self.undo(number)

    def undo_all(self) -> tuple[int, list[str]]:
        """Undo all open entries, the newest first; returns how many were undone, and a line per failure."""
        failures = []
        done = 0
        for number in sorted(self.open_entries(), reverse=True):
            try:
                self.undo(number)
                done += 1
            except (StandError, OSError, subprocess.SubprocessError) as err:
                failures.append(str(err))
        if not failures:
            self.file.unlink(missing_ok=True)
        return done, failures

    def _write(self, entry: dict[str, object]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
